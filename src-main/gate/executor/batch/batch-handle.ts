import type { ApprovalDesk } from '../../../domain/ports/gate/approval-desk.js';
import type { Batch } from '../../../domain/ports/gate/gate.js';
import type { BatchRun } from './batch-run.js';
import type { CallRun } from './call-run.js';

/** Builds a door's handle on a batch: on those of its calls that the door asked for. */
export const handleOn = (
  batch: BatchRun,
  runs: readonly CallRun[],
  desk: Pick<ApprovalDesk, 'callerGone'>,
  recorder: { close(batchId: string): void },
): Batch => ({
  batchId: batch.batchId,
  calls: runs,
  settled: Promise.all(runs.map((run) => run.settled)),
  cancel: () => {
    for (const run of runs) run.cancel();
  },
  abandon: () => desk.callerGone(batch.batchId),
  close: () => {
    // Every other door's batch is closed when its last call is settled.
    if (batch.recorded && batch.asker.door === 'conversation') recorder.close(batch.batchId);
  },
});
