import type { ApprovalRequest } from '#contract/window/approvals.js';
import type { Decision, RuleWanted } from '#contract/vocabulary/decisions.js';
import { mayBeFolded } from '#contract/vocabulary/sheet-folding.js';
import type { RequestOf } from '#contract/window/channels.js';
import { currentRisk, type SheetState } from './sheet-state.js';

/** Ids, the digest and words only: what runs is what main planned, never what this window says. */
export function buildDecision(
  request: ApprovalRequest,
  state: SheetState,
  decision: Decision,
  rule?: RuleWanted,
): RequestOf<'approvals.decide'> {
  const approved =
    decision.kind === 'approve-all'
      ? request.calls.map(({ callId }) => callId)
      : decision.kind === 'approve-selected'
        ? decision.callIds
        : [];
  // “All” was confirmed a second time where there was any.
  const highRisk =
    decision.kind === 'approve-all'
      ? request.calls.flatMap((call) => (currentRisk(state, call) === 'high' ? [call.callId] : []))
      : [];
  // The part was opened, or confirmed a second time.
  const folded = request.calls.flatMap((call) =>
    approved.includes(call.callId) && mayBeFolded(call) ? [call.callId] : [],
  );
  const reason = state.reason.trim();
  const reasons = [...state.reasons]
    .filter(([callId, text]) => text.trim() !== '' && !approved.includes(callId))
    .map(([callId, text]) => ({ callId, reason: text.trim() }));
  // The grants as each approved call shows them; “all” approves more calls, and grants none of them more.
  const network = approved.flatMap((callId) => {
    const allowed = state.network.get(callId);
    return allowed === undefined ? [] : [{ callId, allowed: allowed === 'any' ? allowed : [...allowed] }];
  });
  const writesGit = approved.filter((callId) => state.writesGit.has(callId));
  const reveals = approved.filter((callId) => state.reveals.has(callId));
  const reads = approved.flatMap((callId) => {
    const paths = state.reads.get(callId);
    return paths === undefined ? [] : [{ callId, paths: [...paths] }];
  });
  return {
    batchId: request.batchId,
    digest: request.digest,
    decision: decision.kind === 'approve-selected' ? { ...decision, callIds: [...decision.callIds] } : decision,
    ...(highRisk.length === 0 ? {} : { highRisk }),
    ...(folded.length === 0 ? {} : { folded }),
    ...(reason === '' ? {} : { reason }),
    ...(reasons.length === 0 ? {} : { reasons }),
    ...(network.length === 0 ? {} : { network }),
    ...(writesGit.length === 0 ? {} : { writesGit }),
    ...(reveals.length === 0 ? {} : { reveals }),
    ...(reads.length === 0 ? {} : { reads }),
    ...(rule === undefined ? {} : { rule }),
  };
}
