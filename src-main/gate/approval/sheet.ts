import type { ApprovalCall, ApprovalRequest } from '#contract/window/approvals.js';
import type { Effect } from '#contract/vocabulary/effects.js';
import type { Json } from '#contract/vocabulary/json.js';
import { undoWords } from '#contract/vocabulary/nature.js';
import type { AskedFor, AskingBatch, EffectSituation } from '../../domain/ports/gate/approval-desk.js';
import { termsInWords, type TermsSituation } from '../../domain/tool/terms.js';
import { digestOf } from '../../platform/digest.js';

/** One call on a sheet, with the effect that was shown for it. */
export interface SheetCall {
  readonly asked: AskedFor;
  readonly effect: Effect;
  /** What the files that it changes will hold, by canonical path: what later calls of the batch are previewed on. */
  readonly leaves: ReadonlyMap<string, Uint8Array | null>;
  readonly since: number;
}

/** What one asker wants, and what the person was shown of it. */
export interface Sheet {
  readonly batch: AskingBatch;
  readonly situation: EffectSituation;
  readonly calls: ReadonlyMap<string, SheetCall>;
  readonly callerGone: boolean;
}

/**
 * As the window gets it. The digest covers all that a person decides by, and all that it was judged on: a decision that
 * quotes another is refused.
 */
export function requestFor(sheet: Sheet, now: Omit<TermsSituation, 'network'>): ApprovalRequest {
  const calls = [...sheet.calls.values()].map((each) => viewOf(each, now));
  const { batchId, asker, since } = sheet.batch;
  const judgements = [...sheet.calls.values()].map(({ asked }) => asked.call.judgement);
  const { sandbox, workspace } = sheet.situation;
  const roots = sandbox.roots.length === 1 && sandbox.roots[0] === workspace ? [] : sandbox.roots;
  const digest = digestOf({ batchId, calls, judgements, roots } as unknown as Json);
  return {
    batchId,
    door: asker.door,
    client: asker.client,
    agent: asker.agent,
    since,
    callerGone: sheet.callerGone,
    over: calls.length === 0,
    calls,
    roots,
    digest,
  };
}

function viewOf({ asked, effect }: SheetCall, now: Omit<TermsSituation, 'network'>): ApprovalCall {
  const { call, why, originalArguments, runnerChange } = asked;
  const { nature, takesBack, inputSchema } = call.tool.declaration;
  const gets = call.tool.termsFor({ ...now, network: false });
  const opened = call.tool.termsFor({ ...now, network: true });
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
    undo: undoWords(nature, takesBack),
    confinement: termsInWords(gets),
    confinementWithNetwork: opened.network.by === 'person' ? termsInWords(opened) : null,
    // Offered where it is read-only otherwise: to a confined command that is not Git by its own words.
    offersGit: gets.process?.held === 'confined' && effect.kind === 'command' && effect.git !== true,
    timeoutMs: call.timeoutMs,
  };
}
