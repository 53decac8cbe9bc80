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

export interface StoredOutput {
  readonly stream: 'stdout' | 'stderr';
  readonly sha256: string;
  readonly bytes: number;
}
