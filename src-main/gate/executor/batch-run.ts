import type { Asker } from '../../domain/call/asker.js';
import type { PlanningSituation } from '../../domain/ports/gate/planner.js';
import { OneAtATime } from '../../platform/one-at-a-time.js';
import type { CallRun } from './call-run.js';
import type { Act } from './bound/ran-since.js';

/** A batch on its way. Its calls run one after another, in order (FR-EXE-01). */
export class BatchRun {
  readonly batchId: string;
  readonly asker: Asker;
  readonly since: number;
  readonly joinable: boolean;
  readonly capacityBytes: number | null;
  /** What its newest calls were planned in. */
  situation: PlanningSituation;
  readonly runs: CallRun[] = [];
  /** Set while one of its calls runs. */
  draining = false;
  /** Whether the journal has its `batch-received`. */
  recorded: boolean;
  /** What is left of the model's capacity, FR-REG-04b. */
  capacityUsed = 0;
  /** What its calls did, in order: what comes later was judged before it. */
  readonly acts: Act[] = [];
  readonly #turns = new OneAtATime();

  constructor(
    facts: Pick<BatchRun, 'batchId' | 'asker' | 'since' | 'joinable' | 'capacityBytes' | 'situation' | 'recorded'>,
  ) {
    this.batchId = facts.batchId;
    this.asker = facts.asker;
    this.since = facts.since;
    this.joinable = facts.joinable;
    this.capacityBytes = facts.capacityBytes;
    this.situation = facts.situation;
    this.recorded = facts.recorded;
  }

  get outputLimit(): number {
    return this.situation.config.tools.output.max_bytes;
  }

  /** Runs after whatever was asked before it for this batch, however that ended. */
  inTurn<T>(work: () => Promise<T>): Promise<T> {
    return this.#turns.run(work);
  }

  get isSettled(): boolean {
    return this.runs.every((run) => run.isSettled);
  }

  get waiting(): number {
    return this.runs.filter(({ stage }) => stage.at === 'awaiting-decision' || stage.at === 'awaiting-result').length;
  }

  /**
   * The next call that may run. A message's calls wait for every decision first (T-APR-01); calls of a joinable batch
   * come from a client that does not know of each other, so each goes when it may.
   */
  nextReady(): CallRun | null {
    const undecided = this.runs.some(({ stage }) => stage.at === 'awaiting-decision' || stage.at === 'planning');
    if (undecided && !this.joinable) return null;
    return this.runs.find(({ stage }) => stage.at === 'ready') ?? null;
  }
}
