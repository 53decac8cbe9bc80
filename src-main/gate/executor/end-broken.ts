import type { Failure } from '#contract/vocabulary/outcomes.js';
import type { ApprovalDesk } from '../../domain/ports/gate/approval-desk.js';
import type { BatchRun } from './batch/batch-run.js';
import type { Settle } from './settle.js';

interface BrokenGate {
  readonly desk: ApprovalDesk;
  readonly settle: Settle;
  readonly onFault: (error: unknown) => void;
}

/** Ends what has no result yet of a batch in which the gate itself broke. */
export function endBroken(batch: BatchRun, failure: Failure, { desk, settle, onFault }: BrokenGate): void {
  for (const run of batch.runs.filter((each) => !each.isSettled)) {
    desk.withdraw(run.callId, 'person');
    const ran = run.stage.at === 'running' || run.stage.at === 'ending' ? run.stage.call.tool.declaration : null;
    try {
      settle.broken(batch, run, failure, ran);
    } catch (again) {
      onFault(again);
    }
  }
}
