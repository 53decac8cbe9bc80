import type { Effect } from '#contract/vocabulary/effects.js';
import type { Judgement } from '../../domain/call/judgement.js';
import type { CallForApproval } from '../../domain/ports/gate/approval-desk.js';

/** A call that waits on a sheet, with the effect that is shown for it. */
export interface SheetCall {
  readonly asked: CallForApproval;
  readonly effect: Effect;
  /**
   * The judgement under which the person was first shown it so: it may have been judged anew since, as the same act.
   */
  readonly drawnAs: Judgement;
  /**
   * The content that its files will have afterwards, by canonical path: later calls of the batch are previewed on it.
   */
  readonly leaves: ReadonlyMap<string, Uint8Array | null>;
}
