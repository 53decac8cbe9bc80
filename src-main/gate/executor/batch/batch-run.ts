import type { Asker } from '../../../domain/call/asker.js';
import { contextRoom } from '../../../domain/text/cut-to-context.js';
import { SerialQueue } from '../../../platform/serial-queue.js';
import type { BatchSituation } from './batch-situation.js';
import type { CallRun } from './call-run.js';
import type { CallEffect } from '../bound/changes-since.js';

/** A batch on its way. Its calls run one after another, in order (FR-EXE-01). */
export class BatchRun {
  readonly batchId: string;
  readonly asker: Asker;
  readonly since: number;
  readonly joinable: boolean;
  readonly capacityBytes: number | null;
  readonly situation: BatchSituation;
  readonly runs: CallRun[] = [];
  /** Set while one of its calls runs; over when what it keeps for undo is in its place, too. */
  draining: Promise<void> | null = null;
  /** Whether the journal has its `batch-received`. */
  recorded: boolean;
  /** The effects of its calls so far, in order: a later call may have been judged before them. */
  readonly effects: CallEffect[] = [];
  /** Ends that are being written while the next call runs. */
  readonly #ends: Promise<void>[] = [];
  readonly #turns = new SerialQueue();
  #capacityUsed = 0;
  readonly #intakes = new Set<Promise<void>>();

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
    return this.situation.asPlanned.config.tools.output.max_bytes;
  }

  /** Runs after whatever was asked before it for this batch, however that ended. */
  inTurn<T>(work: () => Promise<T>): Promise<T> {
    return this.#turns.run(work);
  }

  /** Takes calls in: plans them, records them, and has the person asked. */
  async trackIntake(work: () => Promise<void>): Promise<void> {
    const intake = work();
    this.#intakes.add(intake);
    try {
      await intake;
    } finally {
      this.#intakes.delete(intake);
    }
  }

  /** Resolves when all is taken in that was received by now, however that ended. */
  async whenPlanned(): Promise<void> {
    await Promise.allSettled(this.#intakes);
  }

  endsSoon(end: Promise<void>): void {
    // A failure is told by `ended`.
    end.catch(() => undefined);
    this.#ends.push(end);
  }

  get hasOpenEnds(): boolean {
    return this.#ends.length > 0;
  }

  /** Resolves when the ends that were being written were told. */
  async ended(): Promise<void> {
    const ends = await Promise.allSettled(this.#ends.splice(0));
    for (const end of ends) if (end.status === 'rejected') throw end.reason;
  }

  get isSettled(): boolean {
    return this.runs.every((run) => run.isSettled);
  }

  get waiting(): number {
    return this.runs.filter(({ stage }) => stage.at === 'waiting').length;
  }

  /** A result of one of its calls, as its model gets it. */
  gives(content: string): void {
    if (this.capacityBytes !== null) this.#capacityUsed += contextRoom(content);
  }

  /** FR-REG-04b: what of the model's capacity the next call may fill. What is left is shared by all that have no result. */
  get capacityShare(): number {
    if (this.capacityBytes === null) return Number.MAX_SAFE_INTEGER;
    const left = Math.max(0, this.capacityBytes - this.#capacityUsed);
    const open = this.runs.filter(({ stage }) => stage.at !== 'settled' && stage.at !== 'ending');
    return Math.floor(left / Math.max(1, open.length));
  }

  /**
   * The next call that may run. A message's calls wait for every decision first (T-APR-01); calls of a joinable batch
   * come from a client that does not know of each other, so each goes when it may.
   */
  nextReady(): CallRun | null {
    const undecided = this.runs.some(
      ({ stage }) => stage.at === 'planning' || (stage.at === 'waiting' && stage.for === 'decision'),
    );
    if (undecided && !this.joinable) return null;
    return this.runs.find(({ stage }) => stage.at === 'ready') ?? null;
  }
}
