import type { Failure } from '#contract/vocabulary/outcomes.js';
import { toAuthorizedCall } from '../../domain/call/call-stages.js';
import { journalUnavailableFailure } from '../../domain/call/failures.js';
import type { JournalEvent } from '../../domain/call/journal-events.js';
import type { SheetDecisions } from '../../domain/ports/gate/approval-desk.js';
import type { BatchRun } from './batch/batch-run.js';
import type { CallRun } from './batch/call-run.js';
import type { DeniedCalls } from './intake/denied-calls.js';
import { isUnavailable } from './recorder.js';
import type { Settle } from './settle.js';

/** Records what was decided of the calls that wait for it still. Returns why it could not be; null where it was. */
export function recordDecisions(
  batch: BatchRun,
  verdicts: SheetDecisions,
  { settle, denied: deniedCalls }: { readonly settle: Settle; readonly denied: DeniedCalls },
): Failure | null {
  const waiting = (callId: string): CallRun | null =>
    batch.runs.find(({ callId: id, stage }) => id === callId && stage.at === 'waiting' && stage.for === 'decision') ??
    null;
  const approved = verdicts.approved.filter(({ call }) => waiting(call.callId) !== null);
  const denied = verdicts.denied.filter(({ call }) => waiting(call.callId) !== null);
  for (const { call, failure } of denied) {
    const run = waiting(call.callId);
    if (run !== null) deniedCalls.note(run.declared, call, failure);
  }
  const proof = settle.settle(batch, [
    ...approved.map(({ call, grant }): JournalEvent => ({ type: 'call-authorized', callId: call.callId, grant })),
    ...denied.flatMap(({ call, failure }) => {
      const run = waiting(call.callId);
      return run === null ? [] : [settle.refusal(batch, run, failure)];
    }),
  ]);
  for (const { call, grant } of approved) {
    const run = waiting(call.callId);
    // A yes that can't be recorded is no yes.
    if (run !== null && isUnavailable(proof)) settle.unrecorded(batch, run, journalUnavailableFailure(proof.message));
    // The decision judged the call once more.
    else run?.advance({ type: 'grant', call: toAuthorizedCall(call, grant), judgedAfter: batch.effects.length });
  }
  return isUnavailable(proof) ? journalUnavailableFailure(proof.message) : null;
}
