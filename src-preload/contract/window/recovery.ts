import type { CallSummary, ChangedFile, CallOrigin } from '../vocabulary/calls.js';
import type { Nature } from '../vocabulary/nature.js';

/** A call of a batch that was in progress when the app stopped, as far as it is known. */
export interface RecoveredCall {
  readonly call: CallSummary;
  readonly nature: Nature;
  readonly foundAs: 'not-started' | 'finished' | 'may-have-run';
  /** The time when it began and whether its process was still there (and was ended), for `may-have-run`. */
  readonly began: number | null;
  readonly process: 'none' | 'gone' | 'ended' | 'alive' | null;
  readonly changedFiles: readonly ChangedFile[];
  readonly partialOutput: string | null;
}

export interface RecoveredBatch extends CallOrigin {
  readonly batchId: string;
  readonly calls: readonly RecoveredCall[];
}

export interface RecoveryReport {
  /** When the app was last known to run, in Unix ms. */
  readonly stoppedAt: number | null;
  readonly batches: readonly RecoveredBatch[];
}
