import { isDeepStrictEqual } from 'node:util';
import type { JsonObject } from '#contract/vocabulary/json.js';
import { toAuthorizedCall, withJudgement, type DeclaredCall } from '../../domain/call/call-stages.js';
import type { Grant } from '../../domain/call/journal-events.js';
import type { Judgement } from '../../domain/call/judgement.js';
import { journalUnavailableFailure } from '../../domain/call/failures.js';
import type { CallForApproval } from '../../domain/ports/gate/approval-desk.js';
import type { Disposition, Planner, PlanningSituation } from '../../domain/ports/gate/planner.js';
import type { BatchRun } from './batch/batch-run.js';
import type { CallRun } from './batch/call-run.js';
import type { OnRecord } from './batch/call-stage.js';
import { isUnavailable, type Recorder } from './recorder.js';
import type { Settle } from './settle.js';

/** A call that waited when the app ended. */
export type ResumedCall = {
  readonly declared: DeclaredCall;
  readonly originalArguments: JsonObject | null;
} & (
  | { readonly awaiting: 'decision' | 'result' }
  /** Decided, but not begun. `yes`: the person's grant for this very call. */
  | { readonly awaiting: 'place'; readonly yes: Grant | null }
  /** Not decided at all. */
  | { readonly awaiting: 'planning'; readonly onRecord: Exclude<OnRecord, 'nothing'> }
);

/** Whether the call outlives its requester and a restart. */
export const isDetached = ({ wanted }: Pick<DeclaredCall, 'wanted'>): boolean => wanted?.detached === true;

/**
 * Applies the approval that the person gave before the app died, where everything that it was given for still holds;
 * null where it does not.
 */
async function applyEarlierApproval(
  waiting: ResumedCall,
  planned: Disposition,
  planner: Pick<Planner, 'findStaleJudgement'>,
  situation: PlanningSituation,
): Promise<Disposition | null> {
  if (waiting.awaiting !== 'place' || waiting.yes === null || planned.kind !== 'ask') return null;
  const { yes: grant } = waiting;
  const judged = grant.judgement;
  if (judged === null || !isSameJudgement(judged, planned.call.judgement)) return null;
  const call = withJudgement(planned.call, judged);
  const changed = await planner.findStaleJudgement(toAuthorizedCall(call, grant), situation);
  return changed === null ? { kind: 'run', call, grant } : null;
}

interface ResumeDeps {
  readonly batch: BatchRun;
  readonly run: CallRun;
  readonly settle: Settle;
  readonly recorder: Recorder;
}

/**
 * Plans each call anew, one after another. Returns what the person is asked about, and the calls that were not decided
 * before: those are handled like new ones.
 */
export async function resumeCalls(
  batch: BatchRun,
  calls: ReadonlyArray<{ readonly waiting: ResumedCall; readonly run: CallRun }>,
  parts: Pick<ResumeDeps, 'settle' | 'recorder'> & { readonly planner: Planner },
): Promise<{ readonly asked: readonly CallForApproval[]; readonly undecided: readonly CallRun[] }> {
  const asked: CallForApproval[] = [];
  const undecided: CallRun[] = [];
  for (const { waiting, run } of calls) {
    batch.runs.push(run);
    run.advance({ type: 'record', as: waiting.awaiting === 'planning' ? waiting.onRecord : 'validated' });
    run.advance({ type: 'judge', after: batch.effects.length });
    if (waiting.awaiting === 'decision' || waiting.awaiting === 'result')
      run.advance({ type: 'ask', for: waiting.awaiting });
    if (waiting.awaiting === 'planning') {
      undecided.push(run);
      continue;
    }
    const planned = await parts.planner.replan(waiting.declared, batch.situation.asPlanned);
    const yes = await applyEarlierApproval(waiting, planned, parts.planner, batch.situation.now());
    const again = resumeCall(waiting, yes ?? planned, { ...parts, batch, run });
    if (again !== null) asked.push(again);
  }
  return { asked, undecided };
}

/**
 * Puts a call back on its way, as it is judged now. Returns the question to the person about it; null where there is
 * none.
 */
function resumeCall(waiting: ResumedCall, planned: Disposition, parts: ResumeDeps): CallForApproval | null {
  if (waiting.awaiting === 'place') return requeueCall(planned, parts);
  const { originalArguments } = waiting;
  // Whose token was revoked, or who is blocked by now, is not asked about again; what waits for a result waits for that.
  const isOut = planned.kind === 'settled' && planned.failure.rule?.layer === 'agent';
  if (waiting.awaiting === 'result' && !isOut) return null;
  switch (planned.kind) {
    case 'ask': {
      const { call, why, runnerChange, confirmable } = planned;
      return { call, why, runnerChange, originalArguments, confirmable };
    }
    // Policy may have loosened meanwhile; who was to be asked still is.
    case 'run': {
      const why = 'It was requested before Gatehouse stopped.';
      return { call: planned.call, why, runnerChange: null, originalArguments, confirmable: true };
    }
    case 'settled':
      parts.settle.refuse(parts.batch, parts.run, planned.failure);
      return null;
    case 'await-result':
      parts.run.advance({ type: 'ask', for: 'result' });
      return null;
  }
}

/**
 * Queues a call again that was to run and had not begun: it takes its place behind those that were before it, or has to
 * be asked about.
 */
function requeueCall(planned: Disposition, { batch, run, settle, recorder }: ResumeDeps): CallForApproval | null {
  if (planned.kind === 'settled') settle.refuse(batch, run, planned.failure);
  else if (planned.kind === 'run')
    settle.step(batch, run, { type: 'grant', call: toAuthorizedCall(planned.call, planned.grant) });
  else {
    const { why, rule } = planned;
    const waitsFor = planned.kind === 'ask' ? 'decision' : 'result';
    settle.step(batch, run, { type: 'ask', for: waitsFor });
    if (run.isSettled) return null;
    const proof = recorder.append([{ type: 'call-awaiting', callId: run.callId, for: waitsFor, why, rule }]);
    if (isUnavailable(proof)) settle.unrecorded(batch, run, journalUnavailableFailure(proof.message));
    if (planned.kind !== 'ask' || run.isSettled) return null;
    const { call, runnerChange, confirmable } = planned;
    return { call, why, runnerChange, originalArguments: null, confirmable };
  }
  return null;
}

/**
 * Whether a call is judged now as it was then, by the recorded judgement. Its terms are left out, which `changedTerms`
 * compares, and so is what a person saw of its files, whose standing is compared.
 */
const isSameJudgement = (then: Judgement, now: Judgement): boolean => isDeepStrictEqual(judgedOn(then), judgedOn(now));

const judgedOn = ({ terms: _terms, shown: _shown, ...on }: Judgement): unknown => JSON.parse(JSON.stringify(on));
