import type { ApprovalRequest } from '#contract/window/approvals.js';
import type { Failure } from '#contract/vocabulary/outcomes.js';
import { asJudged, capabilitiesOf, type ValidatedCall } from '../../domain/call/call-stages.js';
import type { DecisionMessage, Verdicts } from '../../domain/ports/gate/approval-desk.js';
import type { Grant } from '../../domain/call/journal-events.js';
import type { TermsSituation } from '../../domain/tool/terms.js';
import type { Sheet } from './sheet.js';

export function isApproved({ decision }: DecisionMessage, callId: string): boolean {
  switch (decision.kind) {
    case 'approve-all':
      return true;
    case 'approve-selected':
      return decision.callIds.includes(callId);
    case 'deny-all':
      return false;
  }
}

/**
 * Why the network, or writing to `.git`, can't be allowed as the decision asks; null when it can. The person allows it for calls that they
 * approve and were offered it for; anything else in the list means that this is not their decision.
 */
export function networkProblem({ calls }: ApprovalRequest, message: DecisionMessage): string | null {
  for (const callId of message.network) {
    const call = calls.find((each) => each.callId === callId);
    if (call === undefined || !isApproved(message, callId))
      return 'The network can be allowed only for calls that are approved on this sheet. Nothing was decided; answer again.';
    if (call.confinementWithNetwork === null)
      return 'The network was allowed for a call that it was not offered for. Nothing was decided; answer again.';
  }
  for (const callId of message.writesGit ?? []) {
    const call = calls.find((each) => each.callId === callId);
    if (call === undefined || !isApproved(message, callId) || call.offersGit !== true)
      return 'Writing to .git can be allowed only for calls that are approved on this sheet and offered it. Nothing was decided; answer again.';
  }
  return null;
}

export function verdictsOf(sheet: Sheet, message: DecisionMessage, now: Omit<TermsSituation, 'network'>): Verdicts {
  const all = [...sheet.calls.values()].map(({ asked }) => asked.call);
  return {
    approved: all
      .filter(({ callId }) => isApproved(message, callId))
      .map((call) => granted(message.network.has(call.callId) ? withNetwork(call, now) : call, message)),
    denied: all
      .filter(({ callId }) => !isApproved(message, callId))
      .map((call) => ({ call, failure: deniedByPerson(message.reasons.get(call.callId) ?? message.reason) })),
  };
}

/** What the person saw that it gets with the network is what it was judged to get. */
function withNetwork(call: ValidatedCall, now: Omit<TermsSituation, 'network'>): ValidatedCall {
  const { judgement } = call;
  const gets = call.tool.termsFor({ ...now, network: true });
  return asJudged(call, { ...judgement, terms: { ...judgement.terms, gets } });
}

function granted(
  call: ValidatedCall,
  { network, writesGit }: DecisionMessage,
): { readonly call: ValidatedCall; readonly grant: Grant } {
  const { judgement } = call;
  const more = [
    ...(network.has(call.callId) ? [{ capability: 'network', words: 'with network for this call' }] : []),
    ...(writesGit?.has(call.callId) === true ? [{ capability: 'git.write', words: 'and it may write .git' }] : []),
  ];
  const rule =
    more.length === 0 ? 'Approved in the window.' : `Approved, ${more.map(({ words }) => words).join(', ')}.`;
  const capabilities = [...capabilitiesOf(call), ...more.map(({ capability }) => capability)];
  return {
    call,
    grant: { by: 'person', rule, from: { layer: 'person', id: 'person.decision' }, capabilities, judgement },
  };
}

export function deniedByPerson(reason: string | null): Failure {
  const given = reason === null || reason.trim() === '' ? null : reason.trim();
  return {
    code: 'DeniedByPerson',
    message: given === null ? 'The person denied this call.' : `The person denied this call: ${given}`,
    reason: given,
  };
}

export const noDecision = (seconds: number): Failure => ({
  code: 'NoDecision',
  message: `Nobody decided within ${seconds} s (tools.approval.wait_seconds), so the call was denied.`,
});
