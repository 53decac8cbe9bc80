import type { ApprovalRequest } from '#contract/window/approvals.js';
import { mayBeFolded } from '#contract/vocabulary/sheet-folding.js';
import { type AllowedNetwork, toNetworkCapabilities } from '#contract/vocabulary/network.js';
import type { Failure } from '#contract/vocabulary/outcomes.js';
import {
  withJudgement,
  listCapabilities,
  buildReadCapability,
  SECRETS_REVEALED,
  type ValidatedCall,
} from '../../domain/call/call-stages.js';
import type { DecisionMessage, SheetDecisions } from '../../domain/ports/gate/approval-desk.js';
import type { Grant } from '../../domain/call/journal-events.js';
import type { TermsSituation } from '../../domain/tool/terms.js';
import { isOffered } from './network-offer.js';
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
 * Why the network, writing to `.git`, or secrets can't be allowed as the decision asks; null when it can. The person allows it for calls that they
 * approve and were offered it for; anything else in the list means that this is not their decision.
 */
export function grantProblem({ calls }: ApprovalRequest, message: DecisionMessage): string | null {
  for (const [callId, allowed] of message.network) {
    const call = calls.find((each) => each.callId === callId);
    if (call === undefined || !isApproved(message, callId))
      return 'Network access can be allowed only for calls you approve here. Nothing was decided. Answer again.';
    if (call.network === null || !isOffered(allowed, call.network))
      return 'That network access isn’t available for this call. Nothing was decided. Answer again.';
  }
  for (const callId of message.writesGit ?? []) {
    const call = calls.find((each) => each.callId === callId);
    if (call === undefined || !isApproved(message, callId) || call.offersGit !== true)
      return 'Writing to .git can be allowed only for calls you approve here, where it is offered. Nothing was decided. Answer again.';
  }
  for (const callId of message.reveals ?? []) {
    const call = calls.find((each) => each.callId === callId);
    if (call === undefined || !isApproved(message, callId) || (call.secrets ?? []).length === 0)
      return 'Secrets can be revealed only to calls you approve here, where it is offered. Nothing was decided. Answer again.';
  }
  for (const [callId, paths] of message.reads ?? []) {
    const call = calls.find((each) => each.callId === callId);
    const areOffered = paths.every((path) => call?.mayRead?.includes(path) === true);
    if (!areOffered || !isApproved(message, callId))
      return 'Reading what is hidden can be allowed only for calls you approve here, where it is offered. Nothing was decided. Answer again.';
  }
  return null;
}

/** Refuses an approval of all calls that covers High risk, unless each such call was asked about again. */
export function highRiskProblem(
  { calls }: ApprovalRequest,
  { decision, highRisk, network }: DecisionMessage,
): string | null {
  if (decision.kind !== 'approve-all') return null;
  // A call with the network is of High risk, whatever it is without.
  return calls.every(({ callId, risk }) => (risk !== 'high' && !network.has(callId)) || highRisk?.has(callId) === true)
    ? null
    : 'High risk needs a second click, which didn’t happen. Nothing was decided. Answer again.';
}

/** Refuses to approve calls that were not fully drawn, unless a second step said so. */
export function foldedProblem({ calls }: ApprovalRequest, message: DecisionMessage): string | null {
  return calls.some(
    (call) => isApproved(message, call.callId) && message.folded?.has(call.callId) !== true && mayBeFolded(call),
  )
    ? 'Part of this wasn’t shown, which needs a second click. Nothing was decided. Answer again.'
    : null;
}

export function buildVerdicts(
  sheet: Sheet,
  message: DecisionMessage,
  now: Omit<TermsSituation, 'network'>,
): SheetDecisions {
  const all = [...sheet.calls.values()].map(({ asked }) => asked.call);
  return {
    approved: all
      .filter(({ callId }) => isApproved(message, callId))
      .map((call) => grantCall(withNetwork(call, message.network.get(call.callId), now), message)),
    denied: all
      .filter(({ callId }) => !isApproved(message, callId))
      .map((call) => ({ call, failure: deniedByPerson(message.reasons.get(call.callId) ?? message.reason) })),
  };
}

/** Judges the call on the network terms that the person saw and allowed. */
function withNetwork(
  call: ValidatedCall,
  network: AllowedNetwork | undefined,
  now: Omit<TermsSituation, 'network'>,
): ValidatedCall {
  if (network === undefined) return call;
  const { judgement } = call;
  const gets = call.tool.termsFor({ ...now, network });
  return withJudgement(call, { ...judgement, terms: { ...judgement.terms, gets } });
}

function grantCall(
  call: ValidatedCall,
  { network, writesGit, reveals, reads }: DecisionMessage,
): { readonly call: ValidatedCall; readonly grant: Grant } {
  const { judgement } = call;
  const allowed = network.get(call.callId);
  const read = reads?.get(call.callId) ?? [];
  const more = [
    ...(allowed === undefined ? [] : [{ capabilities: toNetworkCapabilities(allowed), words: networkWords(allowed) }]),
    ...(writesGit?.has(call.callId) === true ? [{ capabilities: ['git.write'], words: 'and it may write .git' }] : []),
    ...(reveals?.has(call.callId) === true
      ? [{ capabilities: [SECRETS_REVEALED], words: 'with secrets revealed to its caller' }]
      : []),
    ...(read.length === 0
      ? []
      : [{ capabilities: read.map(buildReadCapability), words: `and it may read ${read.join(', ')}` }]),
  ];
  const rule =
    more.length === 0 ? 'Approved by you.' : `Approved by you, ${more.map(({ words }) => words).join(', ')}.`;
  const capabilities = [...listCapabilities(call), ...more.flatMap((each) => each.capabilities)];
  return {
    call,
    grant: { by: 'person', rule, from: { layer: 'person', id: 'person.decision' }, capabilities, judgement },
  };
}

const networkWords = (allowed: AllowedNetwork): string =>
  allowed === 'any' ? 'with network for this call' : `with network to ${allowed.join(', ')} for this call`;

export function deniedByPerson(reason: string | null): Failure {
  const given = reason === null || reason.trim() === '' ? null : reason.trim();
  return {
    code: 'DeniedByPerson',
    message: given === null ? 'The user denied this call.' : `The user denied this call. ${given}`,
    reason: given,
  };
}

/** The failure of calls that need a person, in a gateway without a window. */
export const NOBODY_TO_ASK: Failure = {
  code: 'NoDecision',
  message:
    'Gatehouse runs without a window, so nobody can be asked, and the call was denied. A standing confirmation for the tool lets it run.',
};

export const noDecision = (seconds: number): Failure => ({
  code: 'NoDecision',
  message: `Nobody answered within ${seconds} s, so the call was denied.`,
});
