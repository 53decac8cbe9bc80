import type { Asker } from '../../domain/call/asker.js';
import type { CallSummary } from '#contract/vocabulary/calls.js';
import { randomUUID } from 'node:crypto';
import type { JsonObject } from '#contract/vocabulary/json.js';
import type { Failure } from '#contract/vocabulary/outcomes.js';
import type { DeclaredCall, ValidatedCall } from '../../domain/call/call-stages.js';
import { cancelledFailure, panicFailure } from '../../domain/call/failures.js';
import type { Batch, BatchCall, BatchRequest, FolderAdmission, RequestedCall } from '../../domain/ports/gate/gate.js';
import { requestedName } from '../../domain/policy/judged-tool.js';
import { resolveCalledTool } from '../../domain/tool/call-tool.js';
import type {
  ApprovalDesk,
  CallForApproval,
  DeskListener,
  EffectSituation,
  SheetDecisions,
} from '../../domain/ports/gate/approval-desk.js';
import type { PlanningSituation, Planner } from '../../domain/ports/gate/planner.js';
import type { CallHooks } from '../../domain/ports/gate/hooks.js';
import type { Journal } from '../../domain/ports/journal.js';
import { awaitFolder, IntakeHold } from './intake/intake-hold.js';
import type { BatchRun } from './batch/batch-run.js';
import { type Activity, Batches, type SituationOf } from './batch/batches.js';
import { CallRun } from './batch/call-run.js';
import { withdrawalEffect } from './batch/call-stage.js';
import { DeniedCalls } from './intake/denied-calls.js';
import { handleOn } from './batch/batch-handle.js';
import { effectSituationOf } from './batch/effect-situation.js';
import { endCallsAtClose } from './end-at-close.js';
import { endBroken } from './end-broken.js';
import { Execution, type ExecutionParts } from './execution.js';
import { HooksAtGate } from './hooks/hooks-at-gate.js';
import { recordTextGivenAgain } from './given/text-given-events.js';
import { Intake, type IntakeRequest } from './intake/intake.js';
import { buildPersonsResult } from './persons-result.js';
import { isDetached, resumeCalls, type ResumedCall } from './resume-calls.js';
import { prepareCommands } from './intake/prepare-commands.js';
import { recordDecisions } from './record-decisions.js';
import { edited, Recorder } from './recorder.js';
import { Settle } from './settle.js';

export interface OrchestratorParts extends ExecutionParts {
  readonly journal: Journal;
  readonly planner: Planner;
  readonly desk: ApprovalDesk;
  readonly situation: SituationOf;
  readonly hooks: CallHooks;
}

/**
 * The gate's sequence, for every call from every door:
 *
 *   1. received   the call gets its id; while the “Unfinished work” question is open it waits here
 *   2. planned    run now, ask, or settled already; reads only
 *   3. journaled  what was received and planned, in one append; nothing happens before it is durable. Where hooks judge it, what was
 *                 received and found sound; then they run, and what comes of it is a second append
 *   4. decided    the person's sheet, or policy; the verdicts are journaled
 *   5. started    it takes its place in the queue; what it gets is still what was approved, or it ends here; “about to run”
 *                 is journaled; only then the tool is called
 *   6. attempted  handler → output schema → workspace commit; or rolled back, and perhaps tried again
 *   7. settled    the one result is journaled; only then the caller gets it and the next call starts
 *
 * A journal that can't write closes the gate: what has not started does not start, what ran is undone where it can be,
 * and the result says that it was not recorded.
 */
export class Orchestrator implements DeskListener {
  readonly #parts: OrchestratorParts;
  readonly #recorder: Recorder;
  readonly #settle: Settle;
  readonly #execution: Execution;
  readonly #batches = new Batches();
  readonly #intake: Intake;
  readonly #denied: DeniedCalls;
  readonly #hooks: HooksAtGate;
  readonly #admission = new IntakeHold();

  constructor(parts: OrchestratorParts) {
    this.#parts = parts;
    this.#recorder = new Recorder(parts.journal, parts.tools, parts.redactor);
    this.#settle = new Settle(this.#recorder);
    this.#denied = new DeniedCalls(parts.clock);
    this.#hooks = new HooksAtGate({ ...parts, recorder: this.#recorder });
    this.#intake = new Intake({
      hooks: this.#hooks,
      planner: parts.planner,
      readLogs: parts.readLogs,
      denied: this.#denied,
      queue: parts.queue,
      recorder: this.#recorder,
      settle: this.#settle,
      batches: this.#batches,
    });
    this.#execution = new Execution(parts, this.#recorder, this.#settle, this.#hooks);
  }

  // ---------------------------------------------------------------- 1 received

  submit(request: BatchRequest): Batch {
    const batch = this.#batches.joinedOrNew(request, this.#parts.situation, this.#parts.clock.now());
    const known = new Set(
      batch.runs.flatMap(({ declared, isSettled }) =>
        declared.requestId === null || isSettled ? [] : [declared.requestId],
      ),
    );
    const heard = this.#parts.texts.listGivenTo(request.asker, request.folder).length;
    const runs = request.calls.map((call, offset) =>
      this.#newRun(batch, {
        callId: call.callId ?? randomUUID(),
        batchId: batch.batchId,
        index: batch.runs.length + offset,
        requestId: call.requestId,
        ...this.#resolveToolName(call),
        ...(call.pocket === undefined ? {} : { pocket: call.pocket }),
        asker: batch.asker,
        heard,
      }),
    );
    batch.runs.push(...runs);
    const besides = request.with?.(runs.map(({ callId }) => callId)) ?? [];
    const asked = { known, refuseAll: request.refuseAll ?? null, besides };
    void this.#guard(batch, this.#admitAndPlan(batch, runs, asked, request.admission ?? null));
    return handleOn(batch, runs, this.#parts.desk, this.#recorder);
  }

  give(asker: Asker, folder: string, callId: string): Promise<boolean> {
    return recordTextGivenAgain(asker, folder, callId, { texts: this.#parts.texts, recorder: this.#recorder });
  }

  /** Resolves the request to the name of its tool, whichever of its names it was requested by. */
  #resolveToolName(call: RequestedCall): Pick<DeclaredCall, 'toolName' | 'rawArguments' | 'through' | 'wanted'> {
    const called = resolveCalledTool(call);
    const { wanted } = call;
    if (wanted === undefined) return called;
    const found = this.#parts.tools.lookup(requestedName({ ...called, wanted }));
    return { ...called, toolName: found?.tool.declaration.name ?? called.toolName, wanted };
  }

  underWay(callId: string): BatchCall | null {
    return this.#batches.find(callId)?.run ?? null;
  }

  /** Tells the person's hooks of a call that a crash ended. */
  tellEnded(ended: CallSummary, args: JsonObject, situation: PlanningSituation): void {
    this.#hooks.tellEnded(ended, args, situation);
  }

  /** The situation in force now for the calls of a batch; null where it is over. */
  situationOf(batchId: string): EffectSituation | null {
    const batch = this.#batches.get(batchId);
    if (batch === undefined) return null;
    return this.#effectSituation(batch, batch.situation.now());
  }

  #effectSituation(batch: BatchRun, situation: PlanningSituation): EffectSituation {
    return effectSituationOf(batch, situation, this.#parts.readLogs.of(batch.asker.session));
  }

  #newRun(batch: BatchRun, declared: DeclaredCall): CallRun {
    const made = new CallRun(declared, (run, why) =>
      this.#cancel(batch, run, 'caller', why === 'cancelled' ? cancelledFailure('caller') : why),
    );
    this.#hooks.tellAfter(batch, made);
    return made;
  }

  // ---------------------------------------------------------------- 2 planned, 3 journaled

  async #admitAndPlan(
    batch: BatchRun,
    runs: readonly CallRun[],
    request: IntakeRequest,
    folder: FolderAdmission | null,
  ): Promise<void> {
    const asked = folder === null ? request : await awaitFolder(folder, batch, runs, request, this.#intake);
    await this.#admission.wait(batch, runs, asked, this.#intake);
    await this.#parts.settled();
    batch.situation.planMore();
    await this.#planAndStart(batch, runs, asked);
  }

  async #planAndStart(
    batch: BatchRun,
    runs: readonly CallRun[],
    asked: IntakeRequest,
    planned: () => void = () => undefined,
  ): Promise<void> {
    const open = runs.filter(({ isSettled }) => !isSettled);
    await batch.trackIntake(async () => {
      // One after another: what is planned next must see what this one found waiting.
      const { asked: now, unjudged } = await batch.inTurn(() => this.#intake.planAndRecord(batch, open, asked));
      // Hooks may take long, and others do not wait for them.
      if (unjudged !== null) planned();
      const toAsk = unjudged === null ? now : await this.#intake.judge(batch, open, unjudged);
      await this.#ask(batch, toAsk);
    });
    const drained = this.#drain(batch);
    // What may run has asked for its place by now: before whatever comes next.
    planned();
    await drained;
  }

  /** Resolves when what was received of this batch until now is with the person, or needs none. */
  async whenPlanned(batchId: string): Promise<void> {
    await this.#batches.get(batchId)?.whenPlanned();
  }

  async #ask(batch: BatchRun, asked: readonly CallForApproval[]): Promise<void> {
    if (asked.length === 0) return;
    prepareCommands(this.#parts.commands, batch.situation.asPlanned, asked);
    await this.#parts.desk.ask(batch, asked, this.#effectSituation(batch, batch.situation.asPlanned));
    // Who took a call back while its effect was worked out must not find it on a sheet.
    for (const { call } of asked) {
      if (this.#batches.find(call.callId)?.run.stage.at !== 'waiting') this.#parts.desk.withdraw(call.callId, 'person');
    }
  }

  // ---------------------------------------------------------------- 4 decided

  decided(batchId: string, verdicts: SheetDecisions): Failure | null {
    const batch = this.#batches.get(batchId);
    if (batch === undefined) return null;
    const failure = recordDecisions(batch, verdicts, { settle: this.#settle, denied: this.#denied });
    void this.#guard(batch, this.#drain(batch));
    return failure;
  }

  edited(_batchId: string, call: ValidatedCall, asked: JsonObject): void {
    this.#batches.find(call.callId)?.run.editedFrom(asked, call.arguments);
    // Where this can't be written, the decision that follows can't be either, and nothing runs.
    this.#recorder.append([edited(call)]);
  }

  /** Parse-only mode: the person's own result for a call (FR-MODE-02). */
  submitResult(callId: string, content: string, isError: boolean): boolean {
    const found = this.#batches.find(callId);
    if (found?.run.stage.at !== 'waiting' || found.run.stage.for !== 'result') return false;
    const { batch, run } = found;
    this.#settle.settle(batch, buildPersonsResult(batch, run, { content, isError }, this.#recorder));
    this.#retire(batch);
    return true;
  }

  // ---------------------------------------------------------------- 5 started, 6 attempted, 7 settled (execution.ts)

  async #drain(batch: BatchRun): Promise<void> {
    if (batch.draining !== null) return;
    const over = Promise.withResolvers<void>();
    batch.draining = over.promise;
    try {
      for (let run = batch.nextReady(); run !== null || batch.hasOpenEnds; run = batch.nextReady())
        await (run === null ? batch.ended() : this.#execution.run(batch, run));
    } catch (error) {
      // Whoever is told that something broke must not be one whose end is on its way.
      await batch.ended().catch(() => undefined);
      throw error;
    } finally {
      batch.draining = null;
      over.resolve();
    }
    this.#retire(batch);
  }

  // ---------------------------------------------------------------- stopping

  /** The person's Stop. False where there is nothing to stop. */
  stopCall(callId: string): boolean {
    const found = this.#batches.find(callId);
    if (found === null || found.run.isSettled) return false;
    this.#cancel(found.batch, found.run, 'person');
    return true;
  }

  /** Forgets a denial, so that the call is asked about when it comes again. False where it would be anyway. */
  askAgain(callId: string): boolean {
    return this.#denied.forget(callId);
  }

  /** The person wrote the next message of a conversation: what they denied there before is asked about again. */
  personSpoke(session: string): void {
    this.#denied.forgetSession('conversation', session);
  }

  stopBatch(batchId: string): boolean {
    const batch = this.#batches.get(batchId);
    // Waiting calls end first: the end of the running one must not start the next.
    const unsettled =
      batch?.runs
        .filter((run) => !run.isSettled)
        .sort((one, other) => Number(one.stage.at === 'running') - Number(other.stage.at === 'running')) ?? [];
    for (const run of unsettled) if (batch !== undefined) this.#cancel(batch, run, 'person');
    return unsettled.length > 0;
  }

  /**
   * Stops everything that an agent has waiting or running, in whichever of its sessions, and whether or not it is still
   * connected.
   */
  stopAgent(agent: string): void {
    for (const batch of this.#batches.all()) if (batch.asker.agent === agent) this.stopBatch(batch.batchId);
  }

  /** The folder is closed: all that waits or runs there. */
  stopFolder(folder: string): void {
    for (const batch of this.#batches.all()) if (batch.situation.workspace === folder) this.stopBatch(batch.batchId);
  }

  #cancel(batch: BatchRun, run: CallRun, by: 'caller' | 'person', failure = cancelledFailure(by)): void {
    const effect = withdrawalEffect(run.stage);
    if (effect === 'stops') return run.stop(failure);
    if (effect === 'is over') return;
    if (run.stage.at === 'waiting') this.#parts.desk.withdraw(run.callId, by);
    this.#settle.refuse(batch, run, failure);
    void this.#guard(batch, this.#drain(batch));
  }

  /** The app closes: what runs is ended and recorded; what waits for the person stays in the journal and is asked again. */
  async close(): Promise<void> {
    // What outlives a restart waits for the next one, in its place.
    this.#execution.suspendStarts(isDetached);
    await endCallsAtClose(this.#batches.all(), (batch, run) => this.#cancel(batch, run, 'person'));
    await this.#hooks.close();
    this.#recorder.flush();
  }

  get activity(): Activity {
    return this.#batches.activity();
  }

  activityIn(folder: string): Activity {
    return this.#batches.activity(folder);
  }

  /** Ends every call with its one result, whatever breaks inside the gate itself. */
  async #guard(batch: BatchRun, work: Promise<void>): Promise<void> {
    try {
      await work;
    } catch (error) {
      this.#parts.onFault(error);
      endBroken(batch, panicFailure(error), { ...this.#parts, settle: this.#settle });
      this.#retire(batch);
    }
  }

  // ---------------------------------------------------------------- after a restart (recovery.ts)

  /** While the “Unfinished work” question is open, calls wait. */
  hold(): void {
    this.#admission.hold();
  }

  release(): void {
    this.#admission.release();
  }

  /** Puts a batch that waited when the app died back on its way. Its calls keep their ids; each is planned and asked again. */
  async resume(batch: BatchRun, waiting: readonly ResumedCall[]): Promise<Batch> {
    this.#batches.add(batch);
    const made = waiting.map((each) => ({ waiting: each, run: this.#newRun(batch, each.declared) }));
    const { planner } = this.#parts;
    const { asked, undecided } = await resumeCalls(batch, made, {
      planner,
      settle: this.#settle,
      recorder: this.#recorder,
    });
    await batch.trackIntake(() => this.#ask(batch, asked));
    // A conversation waits for its results still: it goes on with them.
    // What outlives its caller has none that could be gone.
    const isMissed = waiting.some(({ declared }) => !isDetached(declared));
    if (batch.asker.door !== 'conversation' && isMissed) this.#parts.desk.callerGone(batch.batchId);
    await this.#planResumed(batch, undecided);
    return handleOn(batch, batch.runs, this.#parts.desk, this.#recorder);
  }

  /**
   * Plans calls that were not decided when the app died like new ones, from where they were. Resolves when they have
   * their place in the order.
   */
  async #planResumed(batch: BatchRun, runs: readonly CallRun[]): Promise<void> {
    const planned = Promise.withResolvers<void>();
    const all = this.#planAndStart(batch, runs, { known: new Set(), refuseAll: null, besides: [] }, planned.resolve);
    void this.#guard(batch, all).finally(planned.resolve);
    await planned.promise;
  }

  #retire(batch: BatchRun): void {
    if (!batch.isSettled || batch.draining !== null || !this.#batches.remove(batch)) return;
    // Only a conversation comes back for its results; every other door was given them as they came.
    if (batch.asker.door !== 'conversation' && batch.recorded) this.#recorder.close(batch.batchId);
  }
}
