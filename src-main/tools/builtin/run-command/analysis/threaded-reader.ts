import { AskedThread } from '../../../../platform/asked/asked-thread.js';
import { startThread } from '../../../../platform/asked/start-thread.js';
import { SerialQueue } from '../../../../platform/serial-queue.js';
import { type CommandReader, type CommandReading, reusableInputs, unreadable } from './command-reader.js';
import type { ReaderService } from './reader-protocol.js';

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

/**
 * Reads commands on a thread of its own. Whoever sends a command may have made it to be hard to read: the parser takes
 * minutes for some texts of the longest kind, and runs out of its memory over others. Here such a command ends the thread,
 * not the app, and is one that could not be looked at. The next one gets a new thread.
 */
export function createThreadedReader({ entry, patienceMs = PATIENCE_MS }: ThreadedReaderOptions): CommandReader {
  const thread = new AskedThread<ReaderService>({
    start: () => startThread(entry, { maxMemoryMib: MAX_MEMORY_MIB }),
    patienceMs: (name) => (name === 'load' ? START_PATIENCE_MS : patienceMs),
    explain: ({ is }) => new Error(is === 'late' ? 'it takes too long' : 'its reader gave up'),
  });
  // One command after the other: the time of each is its own.
  const queue = new SerialQueue();
  const read = (
    command: string,
    roots: readonly string[] = [],
    before: CommandReading | null = null,
  ): Promise<CommandReading> =>
    queue.run(async () => {
      try {
        if (!thread.isRunning) await thread.ask('load');
        const lookedAt = before === null ? null : reusableInputs(before, command, roots);
        const reading = await thread.ask('read', command, roots, lookedAt);
        if (reading !== 'same') return reading;
        if (before !== null) return before;
        throw new Error('its reader lost count');
      } catch (error) {
        return unreadable(command, roots, error);
      }
    });
  return { read, analyze: async (command, roots) => (await read(command, roots)).analysis };
}
