import { utilityProcess } from 'electron';
import type { AskedPeer } from './asked-thread.js';
import type { AskedAnswer } from './protocol.js';

/** Starts a process that is asked. `entry`: the built process; `name`: what the system shows it as. */
export function startProcess(entry: string, name: string, args: readonly string[] = []): AskedPeer {
  const started = utilityProcess.fork(entry, [...args], { serviceName: name });
  return {
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- A process, not a window.
    post: (question) => started.postMessage(question),
    onAnswer: (listener) => void started.on('message', (answer: AskedAnswer) => listener(answer)),
    onEnd: (listener) => void started.on('exit', (code) => listener(`code ${code}`)),
    hold: () => undefined,
    end: async () => void started.kill(),
  };
}
