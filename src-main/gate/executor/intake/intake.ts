import { toAuthorizedCall, type ValidatedCall, isReadOnlyCall } from '../../../domain/call/call-stages.js';
import type { Failure } from '#contract/vocabulary/outcomes.js';
import type { Config } from '#contract/vocabulary/config.js';
import { journalUnavailableFailure } from '../../../domain/call/failures.js';
import { refuseSheetOverLimit } from '../../../domain/policy/agent-limits.js';
import type { JournalEvent } from '../../../domain/call/journal-events.js';
import type { ConversationEvent } from '../../../domain/conversation/conversation-events.js';
import type { CallForApproval } from '../../../domain/ports/gate/approval-desk.js';
import type { Disposition, Planner } from '../../../domain/ports/gate/planner.js';
import type { PlaceQueue, QueueTicket } from '../../../domain/ports/gate/place-queue.js';
import type { CommitReceipt } from '../../../domain/ports/journal.js';
import type { BatchRun } from '../batch/batch-run.js';
import type { Batches } from '../batch/batches.js';
import type { CallRun } from '../batch/call-run.js';
import { grantedCall, type StageEvent } from '../batch/call-stage.js';
import type { DeniedCalls } from './denied-calls.js';
import type { ReadLogs } from '../given/read-logs.js';
import { describePlaceWanted } from '../place-wanted.js';
import type { AfterHooks, HooksAtGate } from '../hooks/hooks-at-gate.js';
import { decisionEvents, isUnavailable, isWithin, type Recorder } from '../recorder.js';
import type { GateFacts, Settle } from '../settle.js';

/** The call that goes first of what came in, and its place to run in or to wait. */
type FirstPlace =
  { readonly position: number; readonly ticket: QueueTicket } | { readonly position: -1; readonly ticket: null };
const NO_PLACE: FirstPlace = { position: -1, ticket: null };

/** The outcome of planning and recording received calls. */
interface IntakeOutcome {
  /** The calls that a person must be asked about. */
  readonly asked: readonly CallForApproval[];
  /** The recorded dispositions that hooks are still to judge; null where there are none. */
  readonly unjudged: readonly Disposition[] | null;
}

/** How a request's calls are taken in. */
export interface IntakeRequest {
  /** The door's own ids of calls that are under way. */
  readonly known: ReadonlySet<string>;
  /** The failure by which all of them are refused; null where they may run. */
  readonly refuseAll: Failure | null;
  /** The events recorded with them, and before them. */
  readonly besides: readonly ConversationEvent[];
}

/** Steps 2 and 3 of the gate: planned, journaled. */
export class Intake {
  readonly #planner: Planner;
  readonly #recorder: Recorder;
  readonly #settle: Settle;
  readonly #batches: Pick<Batches, 'sheetsBesides'>;
  readonly #queue: PlaceQueue;
  readonly #readLogs: ReadLogs;
  readonly #denied: DeniedCalls;
  readonly #hooks: HooksAtGate;

  constructor(parts: {
    readonly readLogs: ReadLogs;
    readonly denied: DeniedCalls;
    readonly hooks: HooksAtGate;
    readonly planner: Planner;
    readonly queue: PlaceQueue;
    readonly recorder: Recorder;
    readonly settle: Settle;
    readonly batches: Pick<Batches, 'sheetsBesides'>;
  }) {
    this.#planner = parts.planner;
    this.#queue = parts.queue;
    this.#readLogs = parts.readLogs;
    this.#denied = parts.denied;
    this.#hooks = parts.hooks;
    this.#recorder = parts.recorder;
    this.#settle = parts.settle;
    this.#batches = parts.batches;
  }

  /**
   * Records calls that wait for something before they are planned, as asked for and no more. What is longer than any tool
   * takes is not: it will be refused.
   */
  async receive(batch: BatchRun, runs: readonly CallRun[], what: 'folder' | 'unfinished-work'): Promise<void> {
    const { config } = batch.situation.asPlanned;
    const most = maxArgumentBytes(config);
    const kept = runs.filter(({ declared, isOnRecord }) => !isOnRecord && isWithin(declared, most));
    if (kept.length === 0) return;
    const declared = kept.map((run) => run.declared);
    await this.#recorder.prepare(declared, most);
    const beginning = batch.recorded ? [] : [this.#recorder.begun(batch)];
    const asked = declared.map((call) => this.#recorder.asked(call, config));
    const proof = await this.#recorder.appendTogether([...beginning, ...asked]);
    if (isUnavailable(proof)) {
      for (const run of kept) this.#settle.unrecorded(batch, run, journalUnavailableFailure(proof.message));
      return;
    }
    batch.recorded = true;
    for (const run of kept) {
      run.advance({ type: 'record', as: 'received' });
      this.#settle.step(batch, run, { type: 'wait-for', what });
    }
  }

  async planAndRecord(
    batch: BatchRun,
    runs: readonly CallRun[],
    { known, refuseAll, besides }: IntakeRequest,
  ): Promise<IntakeOutcome> {
    if (runs.length === 0) return NOTHING_TO_ASK;
    // Before they are planned: who takes a call back meanwhile must not find it on a sheet.
    await this.#recorder.prepare(
      runs.filter(({ isOnRecord }) => !isOnRecord).map(({ declared }) => declared),
      maxArgumentBytes(batch.situation.asPlanned.config),
    );
    const planned = await this.#plan(batch, runs, known, refuseAll);
    const dispositions = this.#refuseOverSheetLimit(batch, await this.#settleNeedlessQuestions(batch, runs, planned));
    const beginning = [...besides, ...(batch.recorded ? [] : [this.#recorder.begun(batch)])];
    if (dispositions.some((each) => this.#hooks.areFor(each)))
      return { asked: [], unjudged: await this.#recordUnjudged(batch, runs, dispositions, beginning) };
    const first = this.#placeOfFirst(batch, runs, dispositions);
    const facts: GateFacts = [
      ...beginning,
      ...dispositions.flatMap((disposition, position) =>
        this.#facts(batch, runs[position], disposition, position === first.position ? first.ticket : null),
      ),
    ];
    const alone = runs.length === 1 && runs[0]?.isOnRecord === false && first.ticket?.why === null;
    const only = alone ? dispositions[0] : undefined;
    if (
      only?.kind === 'run' &&
      besides.length === 0 &&
      isReadOnlyCall(only.call) &&
      this.#recorder.health.state === 'ok'
    ) {
      for (const run of runs) this.#startReading(batch, run, only, facts);
      return NOTHING_TO_ASK;
    }
    // Whoever counts an agent's sheets next must find these.
    const asks = dispositions.some(({ kind }) => kind === 'ask' || kind === 'await-result');
    const proof = asks ? this.#settle.settle(batch, facts) : await this.#settle.settleTogether(batch, facts);
    if (isUnavailable(proof)) {
      for (const run of runs) this.#settle.unrecorded(batch, run, journalUnavailableFailure(proof.message));
      return NOTHING_TO_ASK;
    }
    const startsNow = first.ticket?.why === null ? runs[first.position] : undefined;
    this.#advanceAll(batch, runs, dispositions, startsNow === undefined ? null : { run: startsNow, proof });
    return { asked: listQuestions(dispositions), unjudged: null };
  }

  #advanceAll(
    batch: BatchRun,
    runs: readonly CallRun[],
    dispositions: readonly Disposition[],
    started: { readonly run: CallRun; readonly proof: CommitReceipt } | null,
  ): void {
    batch.recorded = true;
    for (const [position, disposition] of dispositions.entries()) {
      const run = runs[position];
      if (run === undefined || run.isSettled || disposition.kind === 'settled') continue;
      run.advance({ type: 'record', as: 'validated' });
      this.#settle.step(batch, run, stageEventFor(disposition));
      if (run.stage.at === 'waiting') run.progress({ type: `waiting-for-${run.stage.for}` });
      if (run.stage.at === 'ready' && run === started?.run)
        run.advance({ type: 'prove-start', started: started.proof });
    }
  }

  /** Records calls before their hooks run; those that are settled already end now. */
  async #recordUnjudged(
    batch: BatchRun,
    runs: readonly CallRun[],
    dispositions: readonly Disposition[],
    beginning: readonly JournalEvent[],
  ): Promise<readonly Disposition[] | null> {
    const facts = dispositions.flatMap((each, position) =>
      each.kind === 'settled'
        ? this.#facts(batch, runs[position], each, null)
        : this.#recorder.received(each, aboutOf(batch, runs[position])),
    );
    const proof = await this.#settle.settleTogether(batch, [...beginning, ...facts]);
    if (isUnavailable(proof)) {
      for (const run of runs) this.#settle.unrecorded(batch, run, journalUnavailableFailure(proof.message));
      return null;
    }
    batch.recorded = true;
    for (const run of runs) if (!run.isSettled) run.advance({ type: 'record', as: 'validated' });
    return dispositions;
  }

  /**
   * Lets the hooks judge each call, side by side with those of other requests; then decides, in the batch's turn.
   * Returns what must be asked.
   */
  async judge(
    batch: BatchRun,
    runs: readonly CallRun[],
    unjudged: readonly Disposition[],
  ): Promise<readonly CallForApproval[]> {
    const judged = await Promise.all(
      unjudged.map(async (disposition, position): Promise<AfterHooks> => {
        const run = runs[position];
        return run !== undefined && this.#hooks.areFor(disposition)
          ? this.#hooks.judge(batch, run, disposition)
          : { disposition, facts: [] };
      }),
    );
    return batch.inTurn(() => this.#recordJudged(batch, runs, judged));
  }

  async #recordJudged(
    batch: BatchRun,
    runs: readonly CallRun[],
    judged: readonly AfterHooks[],
  ): Promise<readonly CallForApproval[]> {
    const after = judged.map(({ disposition }) => disposition);
    // What is asked only now may be one of those that nobody needs to be asked about.
    const dispositions = this.#refuseOverSheetLimit(batch, await this.#settleNeedlessQuestions(batch, runs, after));
    const facts: GateFacts = dispositions.flatMap((disposition, position) => {
      const run = runs[position];
      if (run === undefined || run.isSettled) return [];
      const said = judged[position]?.facts ?? [];
      if (disposition.kind !== 'settled') return [...said, ...decisionEvents(disposition, null)];
      return [...said, this.#settle.refusal(batch, run, disposition.failure)];
    });
    const proof = this.#settle.settle(batch, facts);
    if (isUnavailable(proof)) {
      for (const run of runs) this.#settle.unrecorded(batch, run, journalUnavailableFailure(proof.message));
      return [];
    }
    this.#advanceAll(batch, runs, dispositions, null);
    return listQuestions(dispositions.filter((_each, position) => runs[position]?.isSettled === false));
  }

  /**
   * Starts a call that only reads at once: it is on record before anybody is told what it read, or a moment later where
   * that takes long.
   */
  #startReading(
    batch: BatchRun,
    run: CallRun,
    disposition: Extract<Disposition, { kind: 'run' }>,
    facts: GateFacts,
  ): void {
    const lost = (problem: string): void => {
      batch.recorded = false;
      run.advance({ type: 'lose', what: 'all' });
      run.stop(journalUnavailableFailure(problem));
    };
    batch.recorded = true;
    run.advance(stageEventFor(disposition));
    const { proof: started } = this.#recorder.appendSoon(
      facts.flatMap((fact) => ('ends' in fact ? [] : [fact])),
      lost,
    );
    run.advance({ type: 'prove-start', started });
  }

  /** A call that only reads, with nothing before it, has its “about to run”, or that it waits, in the first append. */
  #placeOfFirst(batch: BatchRun, runs: readonly CallRun[], dispositions: readonly Disposition[]): FirstPlace {
    const mustWait = !batch.joinable && dispositions.some(({ kind }) => kind === 'ask');
    if (mustWait || batch.draining !== null || batch.nextReady() !== null) return NO_PLACE;
    const position = dispositions.findIndex(({ kind }) => kind === 'run');
    const [run, disposition] = [runs[position], dispositions[position]];
    if (run === undefined || disposition?.kind !== 'run' || disposition.call.tool.declaration.sideEffecting)
      return NO_PLACE;
    const ticket = this.#queue.ask(describePlaceWanted(disposition.call, batch.situation.workspace));
    // Refused: it is told so when its turn comes.
    if ('code' in ticket) return NO_PLACE;
    run.advance({ type: 'take-place', ticket });
    return { position, ticket };
  }

  #facts(batch: BatchRun, run: CallRun | undefined, disposition: Disposition, place: QueueTicket | null): GateFacts {
    const planned = this.#recorder.planned(disposition, place, aboutOf(batch, run));
    if (disposition.kind !== 'settled' || run === undefined) return planned;
    const couldHaveRun = this.#recorder.couldHaveRun(disposition);
    return [...planned, this.#settle.refusal(batch, run, disposition.failure, couldHaveRun)];
  }

  #refuseOverSheetLimit(batch: BatchRun, dispositions: readonly Disposition[]): readonly Disposition[] {
    // What joins an open sheet makes none.
    if (batch.waiting > 0) return dispositions;
    const failure = refuseSheetOverLimit(
      batch.asker,
      this.#batches.sheetsBesides(batch),
      batch.situation.asPlanned.config,
    );
    if (failure === null) return dispositions;
    return dispositions.map((each) =>
      each.kind === 'ask' || each.kind === 'await-result' ? { kind: 'settled', call: each.call, failure } : each,
    );
  }

  /**
   * Settles calls that nobody needs to be asked about: those the person denied a moment ago, and those that could only
   * fail. They are answered as running them would be.
   */
  async #settleNeedlessQuestions(
    batch: BatchRun,
    runs: readonly CallRun[],
    planned: readonly Disposition[],
  ): Promise<readonly Disposition[]> {
    if (!planned.some(({ kind }) => kind === 'ask')) return planned;
    const situation = { ...batch.situation.asPlanned, readLog: this.#readLogs.of(batch.asker.session) };
    const before = batch.runs.filter((run) => !runs.includes(run) && !run.isSettled).map(callOf);
    const kept: Disposition[] = [];
    for (const disposition of planned) {
      const earlier = [...before, ...kept.flatMap((each) => (isToRun(each) ? [each.call] : []))];
      const failure =
        disposition.kind === 'ask'
          ? (this.#denied.again(disposition.call) ??
            (await this.#planner.predictFailure(disposition.call, situation, earlier)))
          : null;
      kept.push(failure === null ? disposition : { kind: 'settled', call: disposition.call, failure });
    }
    return kept;
  }

  async #plan(
    batch: BatchRun,
    runs: readonly CallRun[],
    known: ReadonlySet<string>,
    refuseAll: Failure | null,
  ): Promise<readonly Disposition[]> {
    for (const run of runs) run.advance({ type: 'judge', after: batch.effects.length });
    const declared = runs.map((run) => run.declared);
    if (refuseAll !== null) return declared.map((call) => ({ kind: 'settled', call, failure: refuseAll }));
    const planned = await this.#planner.plan(declared, batch.situation.asPlanned, {
      joinable: batch.joinable,
      waiting: batch.waiting,
      knownIds: known,
    });
    // Cancelled while it was planned: there is nothing to run or ask.
    return planned.map((disposition, position) => {
      const failure = runs[position]?.stoppedFor ?? null;
      return failure === null ? disposition : { kind: 'settled', call: disposition.call, failure };
    });
  }
}

const aboutOf = ({ situation }: BatchRun, run: CallRun | undefined) => ({
  config: situation.asPlanned.config,
  onRecord: run?.stage.at === 'planning' ? run.stage.onRecord : ('nothing' as const),
});

const NOTHING_TO_ASK: IntakeOutcome = { asked: [], unjudged: null };

const listQuestions = (dispositions: readonly Disposition[]): readonly CallForApproval[] =>
  dispositions.flatMap((each) =>
    each.kind === 'ask'
      ? [
          {
            call: each.call,
            why: each.why,
            runnerChange: each.runnerChange,
            originalArguments: null,
            confirmable: each.confirmable,
            ...(each.hook === undefined ? {} : { hook: each.hook }),
          },
        ]
      : [],
  );

const callOf = ({ stage }: CallRun): ValidatedCall | 'unknown' => grantedCall(stage) ?? 'unknown';

const isToRun = (disposition: Disposition): disposition is Extract<Disposition, { kind: 'run' | 'ask' }> =>
  disposition.kind === 'run' || disposition.kind === 'ask';

/** Longer ones are over one limit or the other, whatever tool they are for. */
const maxArgumentBytes = ({ tools }: Config): number =>
  tools.max_tool_args_bytes + tools.apply_patch.max_patch_bytes + tools.write_file.max_bytes;

function stageEventFor(disposition: Exclude<Disposition, { kind: 'settled' }>): StageEvent {
  switch (disposition.kind) {
    case 'run':
      return { type: 'grant', call: toAuthorizedCall(disposition.call, disposition.grant) };
    case 'ask':
      return { type: 'ask', for: 'decision' };
    case 'await-result':
      return { type: 'ask', for: 'result' };
  }
}
