import type { FolderAdmission } from '../../../domain/ports/gate/gate.js';
import type { BatchRun } from '../batch/batch-run.js';
import type { CallRun } from '../batch/call-run.js';
import type { Intake, IntakeRequest } from './intake.js';
import { isDetached } from '../resume-calls.js';

/** While the person is to decide about unfinished work, calls wait. */
export class IntakeHold {
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
  async wait(batch: BatchRun, runs: readonly CallRun[], { refuseAll }: IntakeRequest, intake: Intake): Promise<void> {
    if (this.#admit === null) return this.#admitted;
    // What is on record as asked for is asked for again after a crash: what is refused whatever it is must not be.
    if (refuseAll !== null && runs.every(({ declared }) => isDetached(declared))) return;
    // What outlives its caller is on record before.
    const outliving = runs.filter(({ declared }) => isDetached(declared));
    await batch.inTurn(() => intake.receive(batch, outliving, 'unfinished-work'));
    await this.#admitted;
    for (const run of runs) if (!run.isSettled) run.advance({ type: 'wait-for', what: 'nothing' });
  }
}

/** Calls whose folder is not open wait, on record, for the person, or for the end of who asked. */
export async function awaitFolder(
  folder: FolderAdmission,
  batch: BatchRun,
  runs: readonly CallRun[],
  asked: IntakeRequest,
  intake: Intake,
): Promise<IntakeRequest> {
  const gone = AbortSignal.any(runs.map(({ signal }) => signal));
  for (const run of runs) run.advance({ type: 'wait-for', what: 'folder' });
  await batch.inTurn(() => intake.receive(batch, runs, 'folder'));
  const [first] = runs.filter(({ isSettled }) => !isSettled);
  if (first === undefined) return asked;
  const { callId, toolName: tool } = first.declared;
  const admitted = folder.admit({ callId, batchId: batch.batchId, tool, asker: batch.asker }, gone);
  for (const run of runs) run.progress({ type: 'waiting-for-decision' });
  const refused = await admitted;
  for (const run of runs) if (!run.isSettled) run.advance({ type: 'wait-for', what: 'nothing' });
  return refused === null ? asked : { ...asked, refuseAll: refused };
}
