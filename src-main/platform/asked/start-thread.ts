import { Worker } from 'node:worker_threads';
import type { AskedPeer } from './asked-thread.js';
import type { AskedAnswer } from './protocol.js';

interface ThreadOptions {
  readonly maxMemoryMib?: number;
  readonly workerData?: unknown;
}

/** Starts a thread that is asked. `entry`: the built worker. The app does not wait for it when it ends. */
export function startThread(entry: URL, { maxMemoryMib, workerData }: ThreadOptions = {}): AskedPeer {
  const worker = new Worker(entry, {
    workerData,
    ...(maxMemoryMib === undefined ? {} : { resourceLimits: { maxOldGenerationSizeMb: maxMemoryMib } }),
  });
  worker.unref();
  return {
    post: (question) => worker.postMessage(question, []),
    onAnswer: (listener) => void worker.on('message', (answer: AskedAnswer) => listener(answer)),
    onEnd: (listener) => {
      worker.on('error', (error) => listener(error instanceof Error ? error.message : String(error)));
      worker.on('exit', (code) => listener(`code ${code}`));
    },
    hold: (busy) => (busy ? worker.ref() : worker.unref()),
    end: async () => void (await worker.terminate()),
  };
}
