import type { CommandReading } from './command-reader.js';
import type { ReadingInputs } from './reading-inputs.js';

/** The message to the thread that reads commands. One command at a time. */
export interface ReadMessage {
  readonly command: string;
  readonly roots: readonly string[];
  /** Inputs of an earlier reading of it: where they are the same, nothing is read anew. Null where there is none. */
  readonly lookedAt: ReadingInputs | null;
}

export type ReadAnswer =
  { readonly kind: 'ready' } | { readonly kind: 'same' } | { readonly kind: 'read'; readonly reading: CommandReading };
