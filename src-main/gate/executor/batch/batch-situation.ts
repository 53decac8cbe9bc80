import type { PlanningSituation } from '../../../domain/ports/gate/planner.js';

/**
 * The settings and the jail of a batch's folder, at two moments: whoever reads one says of which. What was judged,
 * recorded and shown is of `asPlanned`; what starts, and what is handed to it, is of `now()`.
 */
export class BatchSituation {
  /** The folder that it was asked for, and never another. */
  readonly workspace: string;
  readonly #inForce: () => PlanningSituation;
  #asPlanned: PlanningSituation;

  constructor(inForce: () => PlanningSituation) {
    this.#inForce = inForce;
    this.#asPlanned = inForce();
    this.workspace = this.#asPlanned.workspace;
  }

  /** The situation that its newest calls were planned in. */
  get asPlanned(): PlanningSituation {
    return this.#asPlanned;
  }

  /** Reads what is in force in its folder at this moment: nothing may run there once it was closed. */
  now(): PlanningSituation {
    return this.#inForce();
  }

  /** More of its calls are to be planned: in what is in force now. */
  planMore(): void {
    this.#asPlanned = this.#inForce();
  }
}
