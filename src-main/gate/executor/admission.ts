import type { BatchRun } from './batch/batch-run.js';
import type { CallRun } from './batch/call-run.js';
import type { Intake, TakenIn } from './intake.js';
import { isDetached } from './resumed-call.js';

/** While the person is to decide about unfinished work, calls wait. */
export class Admission {
  #admitted: Promise<void> = Promise.resolve();
  #admit: (() => void) | null = null;

  hold(): void {
    if (this.#admit === null) this.#admitted = new Promise((resolve) => (this.#admit = resolve));
  }

  release(): void {
    this.#admit?.();
    this.#admit = null;
  }

  /** Resolves when they may be planned. */
  async of(batch: BatchRun, runs: readonly CallRun[], { refuseAll }: TakenIn, intake: Intake): Promise<void> {
    if (this.#admit === null) return this.#admitted;
    // What is on record as asked for is asked for again after a crash: what is refused whatever it is must not be.
    if (refuseAll !== null && runs.every(({ declared }) => isDetached(declared))) return;
    await intake.receive(batch, runs);
    await this.#admitted;
    for (const run of runs) run.held = false;
  }
}
