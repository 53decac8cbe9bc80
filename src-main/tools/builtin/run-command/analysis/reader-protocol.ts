import type { CommandReading } from './command-reader.js';
import type { LookedAt } from './looked-at.js';

/** Between the thread that reads commands and whoever asks it. One command at a time. */
export interface ReadMessage {
  readonly command: string;
  readonly roots: readonly string[];
  /** What an earlier reading of it hung on: where that is the same, nothing is read anew. Null where there is none. */
  readonly lookedAt: LookedAt | null;
}

export type ReadAnswer =
  { readonly kind: 'ready' } | { readonly kind: 'same' } | { readonly kind: 'read'; readonly reading: CommandReading };
