import { utilityProcess } from 'electron';
import type { ModelProcess } from './on-demand-model.js';
import type { EmbedAnswer } from './model-protocol.js';

/** `entry`: the built process, out/main/sentence-model.js; `folder`: where the model lies. */
export function startModel(entry: string, folder: string): ModelProcess {
  const started = utilityProcess.fork(entry, [folder], { serviceName: 'Gatehouse sentence model' });
  return {
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- A process, not a window.
    ask: (request) => started.postMessage(request),
    onAnswer: (listener) => void started.on('message', (answer: EmbedAnswer) => listener(answer)),
    onEnd: (listener) => void started.on('exit', () => listener()),
    end: () => void started.kill(),
  };
}
