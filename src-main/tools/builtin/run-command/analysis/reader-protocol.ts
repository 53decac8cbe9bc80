import type { CommandReading } from './command-reader.js';

/** Between the thread that reads commands and whoever asks it. One command at a time. */
export interface ReadMessage {
  readonly command: string;
  readonly roots: readonly string[];
}

export type ReadAnswer = { readonly kind: 'ready' } | { readonly kind: 'read'; readonly reading: CommandReading };
