import type { Effect } from '#contract/vocabulary/effects.js';
import type { AskedFor } from '../../domain/ports/gate/approval-desk.js';

/** One call that waits, with the effect that is shown for it. */
export interface SheetCall {
  readonly asked: AskedFor;
  readonly effect: Effect;
  /** What the files that it changes will hold, by canonical path: what later calls of the batch are previewed on. */
  readonly leaves: ReadonlyMap<string, Uint8Array | null>;
}
