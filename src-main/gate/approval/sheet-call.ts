import type { Effect } from '#contract/vocabulary/effects.js';
import type { Judgement } from '../../domain/call/judgement.js';
import type { AskedFor } from '../../domain/ports/gate/approval-desk.js';

/** One call that waits, with the effect that is shown for it. */
export interface SheetCall {
  readonly asked: AskedFor;
  readonly effect: Effect;
  /** What it was judged on when the person was first shown it so: it may have been judged anew since, as the same act. */
  readonly drawnAs: Judgement;
  /** What the files that it changes will hold, by canonical path: what later calls of the batch are previewed on. */
  readonly leaves: ReadonlyMap<string, Uint8Array | null>;
}
