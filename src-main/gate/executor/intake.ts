import { asAuthorized } from '../../domain/call/call-stages.js';
import type { Failure } from '#contract/vocabulary/outcomes.js';
import type { Config } from '#contract/vocabulary/config.js';
import { cancelledByUser, journalUnavailable } from '../../domain/call/failures.js';
import type { AskedFor } from '../../domain/ports/gate/approval-desk.js';
import type { Disposition, Planner } from '../../domain/ports/gate/planner.js';
import type { PlaceQueue } from '../../domain/ports/gate/place-queue.js';
import type { Committed } from '../../domain/ports/journal.js';
import type { BatchRun } from './batch-run.js';
import type { Batches } from './batches.js';
import type { CallRun } from './call-run.js';
import { placeWanted } from './place-wanted.js';
import { isUnavailable, type Recorder } from './recorder.js';
import type { Facts, Settle } from './settle.js';

/** Steps 2 and 3 of the gate: planned, journaled. */
export class Intake {
  readonly #planner: Planner;
  readonly #recorder: Recorder;
  readonly #settle: Settle;
  readonly #batches: Pick<Batches, 'sheetsOf'>;
  readonly #queue: PlaceQueue;

  constructor(parts: {
    readonly planner: Planner;
    readonly queue: PlaceQueue;
    readonly recorder: Recorder;
    readonly settle: Settle;
    readonly batches: Pick<Batches, 'sheetsOf'>;
  }) {
    this.#planner = parts.planner;
    this.#queue = parts.queue;
    this.#recorder = parts.recorder;
    this.#settle = parts.settle;
    this.#batches = parts.batches;
  }

  /** Gives what must be asked. */
  async planAndRecord(
    batch: BatchRun,
    runs: readonly CallRun[],
    known: ReadonlySet<string>,
    refuseAll: Failure | null,
  ): Promise<readonly AskedFor[]> {
    // Before they are planned: who takes a call back meanwhile must not find it on a sheet.
    await this.#recorder.prepare(
      runs.map(({ declared }) => declared),
      mostArguments(batch.situation.config),
    );
    const planned = await this.#plan(batch, runs, known, refuseAll);
    const dispositions = this.#withinSheets(batch, planned);
    const first = this.#startsAtOnce(batch, runs, dispositions);
    const proof = this.#settle.settle(batch, [
      ...(batch.recorded ? [] : [this.#recorder.received(batch)]),
      ...dispositions.flatMap((disposition, position) =>
        this.#facts(batch, runs[position], disposition, position === first),
      ),
    ]);
    if (isUnavailable(proof)) {
      for (const run of runs) this.#settle.unrecorded(batch, run, journalUnavailable(proof.message));
      return [];
    }
    batch.recorded = true;
    for (const [position, disposition] of dispositions.entries()) {
      const run = runs[position];
      if (run === undefined) continue;
      run.recorded = true;
      take(run, disposition, proof, position === first);
    }
    return dispositions.flatMap((each) =>
      each.kind === 'ask'
        ? [{ call: each.call, why: each.why, runnerChange: each.runnerChange, originalArguments: null }]
        : [],
    );
  }

  /** A call that only reads, with nothing before it, has its “about to run” in the first append: two commits in all. */
  #startsAtOnce(batch: BatchRun, runs: readonly CallRun[], dispositions: readonly Disposition[]): number {
    const mustWait = !batch.joinable && dispositions.some(({ kind }) => kind === 'ask');
    if (mustWait || batch.draining || batch.nextReady() !== null) return -1;
    const next = dispositions.findIndex(({ kind }) => kind === 'run');
    const [run, disposition] = [runs[next], dispositions[next]];
    if (run === undefined || disposition?.kind !== 'run' || disposition.call.tool.declaration.sideEffecting) return -1;
    run.ticket = this.#queue.askNow(placeWanted(disposition.call));
    return run.ticket === null ? -1 : next;
  }

  #facts(batch: BatchRun, run: CallRun | undefined, disposition: Disposition, startsNow: boolean): Facts {
    const planned = this.#recorder.planned(disposition, startsNow, batch.situation.config);
    if (disposition.kind !== 'settled' || run === undefined) return planned;
    const couldHaveRun = this.#recorder.couldHaveRun(disposition);
    return [...planned, this.#settle.refusal(batch, run, disposition.failure, couldHaveRun)];
  }

  /** Nobody presses through a thousand sheets: an agent that has its measure of them waiting gets no more. */
  #withinSheets(batch: BatchRun, dispositions: readonly Disposition[]): readonly Disposition[] {
    if (batch.asker.agent === null || batch.waiting > 0) return dispositions;
    const { sheets } = batch.situation.config.gateway.limits;
    if (this.#batches.sheetsOf(batch.asker.agent, batch) < sheets) return dispositions;
    const failure = tooManySheets(batch.asker.agent, sheets);
    return dispositions.map((each) =>
      each.kind === 'ask' || each.kind === 'await-result' ? { kind: 'settled', call: each.call, failure } : each,
    );
  }

  async #plan(
    batch: BatchRun,
    runs: readonly CallRun[],
    known: ReadonlySet<string>,
    refuseAll: Failure | null,
  ): Promise<readonly Disposition[]> {
    for (const run of runs) run.judgedAfter = batch.acts.length;
    const declared = runs.map((run) => run.declared);
    if (refuseAll !== null) return declared.map((call) => ({ kind: 'settled', call, failure: refuseAll }));
    const planned = await this.#planner.plan(declared, batch.situation, {
      joinable: batch.joinable,
      waiting: batch.waiting,
      knownIds: known,
    });
    // Cancelled while it was planned: there is nothing to run or ask.
    return planned.map((disposition, position) =>
      runs[position]?.abort.signal.aborted === true
        ? { kind: 'settled', call: disposition.call, failure: cancelledByUser }
        : disposition,
    );
  }
}

/** Longer ones are over one limit or the other, whatever tool they are for. */
const mostArguments = ({ tools }: Config): number =>
  tools.max_tool_args_bytes + tools.apply_patch.max_patch_bytes + tools.write_file.max_bytes;

const tooManySheets = (agent: string, sheets: number): Failure => ({
  code: 'LimitsExceeded',
  message: `${agent} has ${sheets} sheets waiting for the person, which is the limit (gateway.limits.sheets). Wait until they have decided.`,
});

function take(run: CallRun, disposition: Disposition, proof: Committed, startsNow: boolean): void {
  switch (disposition.kind) {
    case 'settled':
      return;
    case 'run':
      run.stage = {
        at: 'ready',
        call: asAuthorized(disposition.call, disposition.grant),
        started: startsNow ? proof : null,
      };
      return;
    case 'ask':
      run.stage = { at: 'awaiting-decision' };
      return run.progress({ type: 'waiting-for-decision' });
    case 'await-result':
      run.stage = { at: 'awaiting-result' };
      return run.progress({ type: 'waiting-for-result' });
  }
}
