import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { type CommandReader, type CommandReading, reusableInputs, unreadable } from './command-reader.js';
import type { ReadAnswer, ReadMessage } from './reader-protocol.js';

export interface ThreadedReaderOptions {
  /** The built worker, out/main/command-reader.js. */
  readonly entry: URL;
  /** How long one command may take. Most take milliseconds. */
  readonly patienceMs?: number;
}

const PATIENCE_MS = 2000;
/** Time for starting the thread and loading the parser, on a machine that has much else to do. */
const START_PATIENCE_MS = 30_000;
const MAX_MEMORY_MIB = 512;
/** The number of a thread that is no more. */
const ENDED = -1;

/**
 * Reads commands on a thread of its own. Whoever sends a command may have made it to be hard to read: the parser takes
 * minutes for some texts of the longest kind, and runs out of its memory over others. Here such a command ends the thread,
 * not the app, and is one that could not be looked at. The next one gets a new thread.
 */
export function createThreadedReader({ entry, patienceMs = PATIENCE_MS }: ThreadedReaderOptions): CommandReader {
  let thread: Promise<Worker> | null = null;
  let last: Promise<unknown> = Promise.resolve();

  const start = async (): Promise<Worker> => {
    const worker = new Worker(entry, { resourceLimits: { maxOldGenerationSizeMb: MAX_MEMORY_MIB } });
    // Nothing waits for it when the app ends.
    worker.unref();
    // What fails while nobody asks is found by who asks next.
    worker.on('error', () => undefined);
    try {
      await waitForAnswer(worker, START_PATIENCE_MS);
    } catch (error) {
      void worker.terminate();
      throw error;
    }
    return worker;
  };

  const readNext = async (
    command: string,
    roots: readonly string[],
    before: CommandReading | null,
  ): Promise<CommandReading> => {
    if ((await thread?.catch(() => null))?.threadId === ENDED) thread = null;
    const current = (thread ??= start());
    try {
      const worker = await current;
      const lookedAt = before === null ? null : reusableInputs(before, command, roots);
      const message: ReadMessage = { command, roots, lookedAt };
      worker.postMessage(message, []);
      const answer = await waitForAnswer(worker, patienceMs);
      if (answer.kind === 'read') return answer.reading;
      if (answer.kind === 'same' && before !== null) return before;
      throw new Error('its reader lost count');
    } catch (error) {
      thread = null;
      current.then((worker) => worker.terminate()).catch(() => undefined);
      return unreadable(command, roots, error);
    }
  };
  /** Reads one command after the other: the time of each is its own. */
  const read = (
    command: string,
    roots: readonly string[] = [],
    before: CommandReading | null = null,
  ): Promise<CommandReading> => {
    const reading = last.then(() => readNext(command, roots, before));
    last = reading;
    return reading;
  };
  return { read, analyze: async (command, roots) => (await read(command, roots)).analysis };
}

/** Waits for the thread's next answer. It may end instead, or take too long. */
async function waitForAnswer(worker: Worker, patienceMs: number): Promise<ReadAnswer> {
  const settled = new AbortController();
  const { signal } = settled;
  const answers = once(worker, 'message', { signal }).then(([answer]) => answer as ReadAnswer);
  const ended = once(worker, 'exit', { signal }).then(() => Promise.reject(new Error('its reader gave up')));
  const waits = [answers, ended, tooLong(patienceMs, signal)];
  try {
    return await Promise.race(waits);
  } finally {
    settled.abort();
    for (const wait of waits) wait.catch(() => undefined);
  }
}

const tooLong = (ms: number, signal: AbortSignal): Promise<never> =>
  new Promise((_, reject) => {
    const timer = setTimeout(() => reject(new Error('it takes too long')), ms);
    signal.addEventListener('abort', () => clearTimeout(timer));
  });
