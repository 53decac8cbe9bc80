import type { ApprovalCall, ApprovalRequest } from '#contract/window/approvals.js';
import type { Json } from '#contract/vocabulary/json.js';
import { NOTHING_ALLOWED } from '#contract/vocabulary/network.js';
import { buildUndoTerm } from '#contract/vocabulary/nature.js';
import type { BatchForApproval, EffectSituation } from '../../domain/ports/gate/approval-desk.js';
import type { ValidatedCall } from '../../domain/call/call-stages.js';
import { findReceiver } from '../../domain/policy/given-texts.js';
import { taintWords } from '../../domain/policy/taint.js';
import { buildTermChips } from '../../domain/tool/term-words.js';
import type { TermsSituation } from '../../domain/tool/terms.js';
import { digestJson } from '../../platform/digest.js';
import { networkOffer } from './network-offer.js';
import { describePossibleRules } from './new-rule.js';
import type { SheetCall } from './sheet-call.js';

type SheetCalls = ReadonlyMap<string, SheetCall>;

/** The calls of one asker that wait for the person, and what the person was shown of them. */
export interface Sheet {
  readonly batch: BatchForApproval;
  readonly situation: EffectSituation;
  /** The number of this sheet among its asker’s, from 1; null while it is not drawn yet. */
  readonly drawn: number | null;
  /** The number of sheets drawn for this asker so far. */
  readonly drawings: number;
  /** The calls on the sheet; until it is drawn, those that will be. */
  readonly calls: SheetCalls;
  /** The calls that came after it was drawn. */
  readonly behind: SheetCalls;
  /** The calls approved on an earlier sheet that have not run yet, as far as is known. */
  readonly approved: SheetCalls;
  readonly callerGone: boolean;
}

export const newSheet = (batch: BatchForApproval, situation: EffectSituation): Sheet => ({
  batch,
  situation,
  drawn: null,
  drawings: 0,
  calls: new Map(),
  behind: new Map(),
  approved: new Map(),
  callerGone: false,
});

export function removeCall(calls: SheetCalls, callId: string): SheetCalls {
  const left = new Map(calls);
  left.delete(callId);
  return left;
}

/** Sorts calls by their place in the batch, whichever effect was worked out first. */
export const mergeInOrder = (...calls: readonly SheetCalls[]): SheetCalls =>
  new Map(
    calls.flatMap((each) => [...each]).sort(([, one], [, other]) => one.asked.call.index - other.asked.call.index),
  );

/** The calls of the same asker that may have run by the time a later one does. */
export const listEarlierCalls = ({ situation, approved, calls, behind }: Sheet): readonly SheetCall[] =>
  [...mergeInOrder(approved, calls, behind).values()].filter(
    ({ asked: { call } }) => !approved.has(call.callId) || situation.isStillToRun(call.callId),
  );

/**
 * Builds the request that the window shows. Its digest covers all that a person decides by, and all that it was judged
 * on: a decision that quotes another digest is refused. Calls that wait behind the sheet are not decided by it, and not
 * in the digest.
 */
export function buildApprovalRequest(
  sheet: Sheet,
  now: Omit<TermsSituation, 'network'>,
  hasToken: boolean,
): ApprovalRequest {
  const calls = [...sheet.calls.values()].map((each) => viewSheetCall(each, now));
  const { batchId, asker, since } = sheet.batch;
  const judgements = [...sheet.calls.values()].map(({ drawnAs }) => drawnAs);
  const { sandbox, workspace } = sheet.situation;
  const { callerGone } = sheet;
  const drawing = sheet.drawn ?? 0;
  const roots = sandbox.roots.length === 1 && sandbox.roots[0] === workspace ? [] : sandbox.roots;
  const digest = digestJson({
    batchId,
    drawing,
    calls,
    judgements,
    workspace,
    roots,
    callerGone,
    hasToken,
    whom: { tenant: asker.tenant, user: asker.user },
  } as unknown as Json);
  return {
    batchId,
    drawing,
    door: asker.door,
    session: asker.session,
    client: asker.client,
    agent: asker.agent,
    tenant: asker.tenant,
    user: asker.user,
    hasToken,
    since,
    callerGone,
    calls,
    behind: [...sheet.behind.values()].map(({ asked: { call } }) => ({
      callId: call.callId,
      tool: call.toolName,
      summary: call.summary,
      risk: call.risk,
    })),
    workspace,
    roots,
    digest,
  };
}

function viewSheetCall(each: SheetCall, now: Omit<TermsSituation, 'network'>): ApprovalCall {
  const { asked, effect } = each;
  const { call, why, originalArguments, runnerChange } = asked;
  const { nature, takesBack, inputSchema } = call.tool.declaration;
  const gets = call.tool.termsFor({ ...now, network: NOTHING_ALLOWED });
  return {
    callId: call.callId,
    tool: call.toolName,
    summary: call.summary,
    risk: call.risk,
    why,
    arguments: call.arguments,
    originalArguments,
    inputSchema,
    effect,
    runnerChange,
    terms: [...buildTermChips(gets), buildUndoTerm(nature, takesBack, gets.process !== null)],
    network: networkOffer(call, now),
    // Offered where it is read-only otherwise and could be wanted: to a confined command that is not Git by its own words, and
    // that is not known to only read.
    offersGit:
      gets.process?.held === 'confined' && effect.kind === 'command' && effect.git !== true && call.risk !== 'low',
    ...(call.judgement.secrets === undefined ? {} : { secrets: call.judgement.secrets }),
    ...(call.judgement.mayRead === undefined ? {} : { mayRead: call.judgement.mayRead }),
    ...viewTaint(call),
    timeoutMs: call.timeoutMs,
    rule: describePossibleRules(each),
  };
}

function viewTaint({ asker, judgement: { taint } }: ValidatedCall): Pick<ApprovalCall, 'taint'> {
  const to = findReceiver(asker);
  if (taint === undefined || to === null) return {};
  return { taint: { words: taintWords(taint), to, trustWouldDo: taint.trustWouldDo === true } };
}
