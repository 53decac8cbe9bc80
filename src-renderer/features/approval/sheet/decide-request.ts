import type { ApprovalRequest } from '#contract/window/approvals.js';
import type { Decision } from '#contract/vocabulary/decisions.js';
import type { RequestOf } from '#contract/window/channels.js';
import { commandOf, ruleOf, type SheetState } from './sheet-state.js';

/** Ids, the digest and words only: what runs is what main planned, never what this window says. */
export function decideRequest(
  request: ApprovalRequest,
  state: SheetState,
  decision: Decision,
): RequestOf<'approvals.decide'> {
  const approved =
    decision.kind === 'approve-all'
      ? request.calls.map(({ callId }) => callId)
      : decision.kind === 'approve-selected'
        ? decision.callIds
        : [];
  const reason = state.reason.trim();
  const reasons = [...state.reasons]
    .filter(([callId, text]) => text.trim() !== '' && !approved.includes(callId))
    .map(([callId, text]) => ({ callId, reason: text.trim() }));
  // As it stands on each call that is approved; “all” approves more calls, and allows none of them more.
  const network = approved.filter((callId) => state.network.has(callId));
  const writesGit = approved.filter((callId) => state.writesGit.has(callId));
  const { scope, prefix } = state.remember;
  // What the rule says stands beside what is selected; “all” approves more, and makes no rule of it.
  const remembered = approved.filter((callId) => state.selected.has(callId));
  return {
    batchId: request.batchId,
    digest: request.digest,
    decision: decision.kind === 'approve-selected' ? { ...decision, callIds: [...decision.callIds] } : decision,
    ...(reason === '' ? {} : { reason }),
    ...(reasons.length === 0 ? {} : { reasons }),
    ...(network.length === 0 ? {} : { network }),
    ...(writesGit.length === 0 ? {} : { writesGit }),
    ...(scope === 'once' || remembered.length === 0
      ? {}
      : {
          remember: {
            callIds: remembered,
            scope,
            ...(prefix === null || prefix.trim() === '' ? {} : { prefix: prefix.trim() }),
          },
        }),
  };
}

/** Why a rule can't be remembered as it stands; null when it can. */
export function rememberProblem(request: ApprovalRequest, state: SheetState): string | null {
  const { scope, prefix } = state.remember;
  if (scope === 'once') return null;
  const impossible = request.calls
    .filter(({ callId }) => state.selected.has(callId))
    .map((call) => ruleOf(call)?.impossible ?? null)
    .find((reason) => reason !== null);
  if (impossible !== undefined) return `No rule can cover this command. ${impossible}`;
  if (prefix === null) return null;
  if (prefix.trim() === '') return 'Write the words that such commands begin with.';
  const other = request.calls.some((call) => {
    const command = state.selected.has(call.callId) ? commandOf(call) : null;
    return command !== null && command !== prefix.trim() && !command.startsWith(`${prefix.trim()} `);
  });
  return other ? 'A selected command does not begin with these words.' : null;
}
