import type { CallSummary, Checkpoint } from '#contract/vocabulary/calls.js';
import type { Failure } from '#contract/vocabulary/outcomes.js';
import type { SettledCall } from '../../domain/ports/gate/gate.js';
import type { RecordedInvocation } from '../../domain/ports/invocations.js';

/** A call as far as it is told, whether it just ended or is read from the record. */
export interface CallSeen {
  readonly summary: CallSummary;
  readonly failure: Failure | null;
  /** Null as long as it is not settled. */
  readonly result: RecordedInvocation['result'];
  readonly warnings: readonly string[];
  /** The last that it passed; null where it told none. */
  readonly checkpoint: Checkpoint | null;
}

export const seenSettled = ({ summary, failure, result }: SettledCall): CallSeen => ({
  summary,
  failure,
  result,
  warnings: result.aftermath.warnings,
  checkpoint: result.aftermath.checkpoint ?? null,
});

export const isSettled = ({ result }: CallSeen): boolean => result !== null;
