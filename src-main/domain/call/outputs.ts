import type { Confinement } from '#contract/vocabulary/calls.js';

/** Facts about a running command that the journal and the window want before it ends. */
export type CommandEvent =
  | {
      readonly type: 'started';
      readonly pid: number;
      readonly startTicks: string;
      readonly mark: string;
      readonly confinement: Confinement;
    }
  | { readonly type: 'waiting-for-input'; readonly waiting: boolean };

/**
 * The streams that are stored of a call: a command's two, and where both spoke, their order; what a source gave that is
 * no text, by its number.
 */
export type StoredStream = 'stdout' | 'stderr' | 'order' | `kept-${number}`;

export interface StoredOutput {
  readonly stream: StoredStream;
  readonly sha256: string;
  readonly bytes: number;
}
