import type { ApprovalRequest } from '#contract/window/approvals.js';
import type { Json } from '#contract/vocabulary/json.js';
import type { BridgeResult } from '#contract/vocabulary/result.js';
import type { PlanPreview } from '#contract/vocabulary/tools.js';
import type { PutAsideView } from '#contract/vocabulary/put-aside.js';
import type { UndoPreview } from '#contract/vocabulary/undo.js';
import type { Batch } from '../../domain/ports/gate.js';
import type { DecisionMessage, DeskAnswer } from '../../domain/ports/approval-desk.js';
import type { Handlers } from './border.js';
import { done, jsonIn, nothing, refuse } from './answers.js';

export interface GateServices {
  /** The composer's door. */
  readonly compose: (calls: ReadonlyArray<{ readonly tool: string; readonly arguments: Json }>) => Batch;
  readonly preview: (tool: string, args: Json) => Promise<PlanPreview>;
  readonly stopCall: (callId: string) => boolean;
  readonly stopBatch: (batchId: string) => boolean;
  readonly submitResult: (callId: string, result: string, isError: boolean) => boolean;
  readonly desk: {
    decide(message: DecisionMessage): Promise<DeskAnswer>;
    denyOne(batchId: string, callId: string, digest: string, reason: string | null): DeskAnswer;
    edit(batchId: string, callId: string, digest: string, args: Json): Promise<DeskAnswer<ApprovalRequest>>;
    checkEdit(callId: string, args: Json): Promise<PlanPreview | null>;
    close(batchId: string): DeskAnswer;
  };
  readonly undoPreview: (callId: string) => Promise<UndoPreview | null>;
  readonly undo: (callId: string, paths: readonly string[] | null) => Batch;
  readonly putAside: (callId: string) => Promise<PutAsideView | null>;
  readonly putBack: (callId: string, paths: readonly string[] | null) => Batch;
  /** Throws where the choice can't be recorded. */
  readonly decideRecovery: (choice: 'resume' | 'discard') => void;
}

type GateChannels =
  | 'compose.run'
  | 'compose.plan'
  | 'calls.stop'
  | 'batches.stop'
  | 'approvals.decide'
  | 'approvals.denyOne'
  | 'approvals.edit'
  | 'approvals.checkEdit'
  | 'approvals.close'
  | 'results.submit'
  | 'undo.preview'
  | 'undo.apply'
  | 'aside.view'
  | 'aside.putBack'
  | 'recovery.decide';

const over = refuse('not-found', 'This call is over already.');

function fromDesk<T>(answer: DeskAnswer<T>): BridgeResult<T> {
  if (answer.ok) return done(answer.value);
  return refuse(answer.problem, answer.message);
}

/** Something that the person does themselves: one call, and what came of it. */
async function ownAct(batch: Batch): Promise<BridgeResult<{ readonly callId: string }>> {
  const [settled] = await batch.settled;
  if (settled === undefined) return refuse('internal', 'It gave no result.');
  return settled.failure === null
    ? done({ callId: settled.summary.callId })
    : refuse('refused', settled.failure.message);
}

export const gateHandlers = (gate: GateServices): Pick<Handlers, GateChannels> => ({
  'compose.run': async ({ calls }) => {
    const parsed: { tool: string; arguments: Json }[] = [];
    for (const [position, call] of calls.entries()) {
      const args = jsonIn(call.arguments);
      if (!args.ok) return refuse('bad-request', `The arguments of call ${position + 1} (${call.tool}) are not JSON.`);
      parsed.push({ tool: call.tool, arguments: args.value });
    }
    const batch = gate.compose(parsed);
    return done({ batchId: batch.batchId, callIds: batch.calls.map(({ callId }) => callId) });
  },
  'compose.plan': async ({ tool, arguments: text }) => {
    const args = jsonIn(text);
    return args.ok ? done(await gate.preview(tool, args.value)) : args.error;
  },
  'calls.stop': async ({ callId }) => (gate.stopCall(callId) ? nothing : over),
  'batches.stop': async ({ batchId }) => (gate.stopBatch(batchId) ? nothing : over),
  'approvals.decide': async ({ batchId, digest, decision, reason, reasons, network, writesGit, remember }) =>
    fromDesk(
      await gate.desk.decide({
        batchId,
        digest,
        decision,
        reason: reason ?? null,
        reasons: new Map((reasons ?? []).map((each) => [each.callId, each.reason])),
        network: new Set(network ?? []),
        writesGit: new Set(writesGit ?? []),
        remember:
          remember === undefined
            ? null
            : { callIds: remember.callIds, scope: remember.scope, prefix: remember.prefix ?? null },
      }),
    ),
  'approvals.denyOne': async ({ batchId, callId, digest, reason }) =>
    fromDesk(gate.desk.denyOne(batchId, callId, digest, reason ?? null)),
  'approvals.edit': async ({ batchId, callId, digest, arguments: text }) => {
    const args = jsonIn(text);
    return args.ok ? fromDesk(await gate.desk.edit(batchId, callId, digest, args.value)) : args.error;
  },
  'approvals.checkEdit': async ({ callId, arguments: text }) => {
    const args = jsonIn(text);
    if (!args.ok) return args.error;
    const preview = await gate.desk.checkEdit(callId, args.value);
    return preview === null ? refuse('not-found', 'Nothing waits for this decision any more.') : done(preview);
  },
  'approvals.close': async ({ batchId }) => fromDesk(gate.desk.close(batchId)),
  'results.submit': async ({ callId, result, isError }) =>
    gate.submitResult(callId, result, isError ?? false)
      ? nothing
      : refuse('not-found', 'This call does not wait for a result. It may have been answered or cancelled.'),
  'undo.preview': async ({ callId }) => {
    const preview = await gate.undoPreview(callId);
    return preview === null
      ? refuse('not-found', 'Nothing is kept of what this call changed, so it can’t be undone here.')
      : done(preview);
  },
  'undo.apply': async ({ callId, paths }) => ownAct(gate.undo(callId, paths ?? null)),
  'aside.view': async ({ callId }) => {
    const view = await gate.putAside(callId);
    return view === null ? refuse('not-found', 'Nothing of it is kept any more.') : done(view);
  },
  'aside.putBack': async ({ callId, paths }) => ownAct(gate.putBack(callId, paths ?? null)),
  'recovery.decide': async ({ choice }) => {
    gate.decideRecovery(choice);
    return nothing;
  },
});
