import type { CommandReading } from './command-reader.js';
import type { ReadingInputs } from './reading-inputs.js';

/** Everything the thread that reads commands is asked. */
export interface ReaderService {
  /** Loads the parser, which is no part of the time that reading may take. */
  load(): Promise<void>;
  /**
   * Reads a command. `lookedAt`: inputs of an earlier reading of it; where they are the same, nothing is read anew. Null
   * where there is none.
   */
  read(command: string, roots: readonly string[], lookedAt: ReadingInputs | null): Promise<CommandReading | 'same'>;
}
