import type { Config } from '#contract/vocabulary/config.js';
import type { Failure } from '#contract/vocabulary/outcomes.js';
import type { PlaceQueue, PlaceRequest, QueueTicket } from '../../domain/ports/gate/place-queue.js';
import { RunningCounts } from './running-counts.js';
import { explainNoPlace } from './explain-no-place.js';

/**
 * The number of newer calls that may go before those of an agent that could have gone; then one of its own goes first.
 */
export const MAX_PASSED_OVER = 8;

export interface BoundedQueueDeps {
  /** The limits for all calls, or (stricter) for those of one folder; a tool may have a bound of its own. */
  readonly limits: (folder?: string, toolId?: string) => Config['tools']['queue'];
  /** Whether the person paused whoever is paused under this key. */
  readonly isPaused: (pausedAs: string) => boolean;
  /** How long what has little priority waits before it counts as any other. */
  readonly starvationMs: () => number;
  readonly now: () => number;
  /** The sum that all declared memory needs may reach. */
  readonly memoryBytes: number;
  /**
   * Set where, in a full queue, whoever has most waiting gives room to whoever has less; left out, whoever came first
   * keeps it.
   */
  readonly sharesRoom?: true;
}

interface QueueEntry extends QueueTicket {
  readonly wanted: PlaceRequest;
  readonly since: number;
  end(refusal: Failure | null): void;
}

/**
 * A place for each call that runs: bounded in all, for each tool and for each agent, and one at a time in a session. The
 * person's own calls go first, then those of the agent that has least running; of its own, an agent has first what it gave more
 * priority, and then what came first. An agent that could have gone and was passed over eight times goes next, with one call, and
 * what has little priority counts as any other after a while, so nobody waits for ever.
 */
export class BoundedQueue implements PlaceQueue {
  readonly #parts: BoundedQueueDeps;
  readonly #running = new Map<QueueTicket, QueueEntry>();
  readonly #counts = new RunningCounts();
  readonly #inFolders = new Map<string, RunningCounts>();
  /** How often newer calls went before each agent's, since one of its own last did. */
  readonly #passedOver = new Map<string | null, number>();
  /** The waiting entries, in the order in which they came. */
  #waiting: readonly QueueEntry[] = [];

  constructor(parts: BoundedQueueDeps) {
    this.#parts = parts;
  }

  ask(wanted: PlaceRequest): QueueTicket | Failure {
    const never = this.#refuseIfTooLarge(wanted);
    if (never !== null) return never;
    const why = this.#explainWait(wanted);
    const entry = this.#createEntry(wanted, why);
    if (why === null) {
      this.#call(entry);
      return entry;
    }
    const noRoom = this.#refuseIfFull(wanted);
    if (noRoom !== null) {
      const giving = this.#findEntryGivingRoom(wanted);
      if (giving === null) return noRoom;
      this.#leave(giving, gaveRoom);
    }
    this.#wait(entry, why, this.#parts.limits(wanted.folder).max_wait_seconds);
    return entry;
  }

  pass(from: QueueTicket, wanted: PlaceRequest): QueueTicket | null {
    const leaving = this.#running.get(from);
    if (leaving === undefined) return null;
    this.#vacate(leaving);
    const next = this.#pickNext() === null ? this.#askNow(wanted) : null;
    if (next === null) this.#occupy(leaving);
    return next;
  }

  /** Calls whoever fits now: the limits changed, or somebody was paused or resumed. */
  review(): void {
    for (let entry = this.#pickNext(); entry !== null; entry = this.#pickNext()) {
      this.#passOver(entry);
      this.#waiting = this.#waiting.filter((each) => each !== entry);
      this.#call(entry);
    }
  }

  /** The last that came of whoever has most waiting, where that leaves them no less than it gives; so nobody takes it back. */
  #findEntryGivingRoom(wanted: PlaceRequest): QueueEntry | null {
    if (this.#parts.sharesRoom === undefined || this.#isPaused(wanted)) return null;
    const giving = this.#waiting.filter((entry) => !entry.wanted.urgent && !this.#isPaused(entry.wanted));
    const byAgent = Map.groupBy(giving, (entry) => entry.wanted.agent);
    const own = byAgent.get(wanted.agent)?.length ?? 0;
    const most = [...byAgent.values()].reduce((best, each) => (each.length > best.length ? each : best), []);
    const last = most.at(-1);
    return last !== undefined && most.length > own + 1 && this.#refuseIfFull(wanted, last) === null ? last : null;
  }

  /** Counts paused and running askers apart: a paused one takes no room in the queue from the others. */
  #refuseIfFull(wanted: PlaceRequest, without: QueueEntry | null = null): Failure | null {
    const paused = this.#isPaused(wanted);
    const besides = this.#waiting
      .filter((entry) => entry !== without)
      .map((entry) => entry.wanted)
      .filter((other) => (paused ? other.pausedAs === wanted.pausedAs : !this.#isPaused(other)));
    const all = this.#parts.limits().max_waiting;
    if (besides.length >= all) return full(all);
    const here = this.#parts.limits(wanted.folder).max_waiting;
    return besides.filter(({ folder }) => folder === wanted.folder).length >= here ? full(here) : null;
  }

  #askNow(wanted: PlaceRequest): QueueTicket | null {
    if (this.#refuseIfTooLarge(wanted) !== null || this.#explainWait(wanted) !== null) return null;
    const entry = this.#createEntry(wanted, null);
    this.#call(entry);
    return entry;
  }

  #createEntry(wanted: PlaceRequest, why: string | null): QueueEntry {
    const { promise, resolve } = Promise.withResolvers<Failure | null>();
    const entry: QueueEntry = {
      wanted,
      since: this.#parts.now(),
      why,
      called: promise,
      end: resolve,
      release: () => this.#release(entry),
    };
    return entry;
  }

  #call(entry: QueueEntry): void {
    this.#occupy(entry);
    entry.end(null);
  }

  #occupy(entry: QueueEntry): void {
    this.#running.set(entry, entry);
    this.#counts.add(entry.wanted);
    this.#inFolder(entry.wanted.folder).add(entry.wanted);
  }

  #vacate(entry: QueueEntry): boolean {
    if (!this.#running.delete(entry)) return false;
    const { folder } = entry.wanted;
    this.#counts.remove(entry.wanted);
    this.#inFolder(folder).remove(entry.wanted);
    if (this.#inFolder(folder).calls === 0) this.#inFolders.delete(folder);
    return true;
  }

  #inFolder(folder: string): RunningCounts {
    const counted = this.#inFolders.get(folder) ?? new RunningCounts();
    this.#inFolders.set(folder, counted);
    return counted;
  }

  #wait(entry: QueueEntry, why: string, longestSeconds: number): void {
    this.#waiting = [...this.#waiting, entry];
    if (longestSeconds === 0) return;
    // A paused asker waits for as long as it is paused, whatever the limit.
    const over = (): void => {
      if (this.#isPaused(entry.wanted)) timer.refresh();
      else this.#leave(entry, waitedTooLong(longestSeconds, why));
    };
    const timer = setTimeout(over, longestSeconds * 1000);
    void entry.called.then(() => clearTimeout(timer));
  }

  #release(entry: QueueEntry): void {
    if (this.#vacate(entry)) this.review();
    else this.#leave(entry, null);
  }

  #leave(entry: QueueEntry, refusal: Failure | null): void {
    this.#waiting = this.#waiting.filter((each) => each !== entry);
    const { agent } = entry.wanted;
    if (!this.#waiting.some(({ wanted }) => wanted.agent === agent)) this.#passedOver.delete(agent);
    entry.end(refusal);
  }

  /** Picks the entry that goes next; null where none can. */
  #pickNext(): QueueEntry | null {
    const able = this.#waiting.filter(({ wanted }) => this.#explainWait(wanted) === null);
    const firsts = this.#pickFirstOfEach(able);
    // Patience goes before the person's own calls.
    const overdue = firsts.find(({ wanted: { agent } }) => (this.#passedOver.get(agent) ?? 0) >= MAX_PASSED_OVER);
    return (
      overdue ??
      able.find(({ wanted }) => wanted.urgent) ??
      firsts.reduce<QueueEntry | null>(
        (best, each) => (best === null || this.#runsLess(each, best) ? each : best),
        null,
      )
    );
  }

  /**
   * Picks, for each agent, the entry that goes first of its own, by priority and then by arrival; the picks stay in the
   * order of arrival.
   */
  #pickFirstOfEach(able: readonly QueueEntry[]): readonly QueueEntry[] {
    const firsts = new Map<string | null, QueueEntry>();
    for (const entry of able) {
      const { agent, urgent } = entry.wanted;
      const known = firsts.get(agent);
      if (!urgent && (known === undefined || this.#priorityRank(entry) < this.#priorityRank(known)))
        firsts.set(agent, entry);
    }
    return able.filter((entry) => firsts.get(entry.wanted.agent) === entry);
  }

  #runsLess({ wanted: one }: QueueEntry, { wanted: other }: QueueEntry): boolean {
    return this.#counts.ofAgent(one.agent) < this.#counts.ofAgent(other.agent);
  }

  /** The rank of an entry within its agent’s share; the lower goes first. */
  #priorityRank({ wanted: { priority }, since }: QueueEntry): number {
    if (priority === 'high') return 0;
    return priority === 'normal' || this.#parts.now() - since >= this.#parts.starvationMs() ? 1 : 2;
  }

  /**
   * Counts a skip for each agent that came before the chosen entry and could have gone; once each, however much it has
   * waiting.
   */
  #passOver(chosen: QueueEntry): void {
    const earlier = this.#waiting.slice(0, this.#waiting.indexOf(chosen));
    const agents = new Set(
      earlier.flatMap(({ wanted }) => (!wanted.urgent && this.#explainWait(wanted) === null ? [wanted.agent] : [])),
    );
    const { urgent, agent: goes } = chosen.wanted;
    if (!urgent) agents.delete(goes);
    for (const agent of agents) this.#passedOver.set(agent, (this.#passedOver.get(agent) ?? 0) + 1);
    if (!urgent) this.#passedOver.delete(goes);
  }

  #isPaused({ pausedAs }: PlaceRequest): boolean {
    return pausedAs !== null && this.#parts.isPaused(pausedAs);
  }

  #explainWait(wanted: PlaceRequest): string | null {
    if (this.#isPaused(wanted)) return `${wanted.name} is paused.`;
    const { limits, memoryBytes } = this.#parts;
    const inFolder = this.#inFolders.get(wanted.folder) ?? NOTHING_RUNS;
    return (
      explainNoPlace(wanted, this.#counts, limits(undefined, wanted.toolId), memoryBytes) ??
      explainNoPlace(wanted, inFolder, limits(wanted.folder, wanted.toolId), memoryBytes)
    );
  }

  #refuseIfTooLarge({ tool, memoryBytes }: PlaceRequest): Failure | null {
    if (memoryBytes === null || memoryBytes <= this.#parts.memoryBytes) return null;
    const message = `${tool} says that it may need ${memoryBytes} bytes of memory; this computer has ${this.#parts.memoryBytes}.`;
    return { code: 'ResourceExhausted', message, limit: 'memory' };
  }
}

const NOTHING_RUNS = new RunningCounts();

const full = (most: number): Failure => ({
  code: 'LimitsExceeded',
  message: `The queue is full: its limit is ${most}. It did not run. Request it again later.`,
  eCode: 'E3106',
});

const gaveRoom: Failure = {
  code: 'LimitsExceeded',
  message:
    'The queue is full, and it gave its room to another agent, which had less waiting. It did not run. Request it again later.',
  eCode: 'E3106',
};

const waitedTooLong = (seconds: number, why: string): Failure => ({
  code: 'LimitsExceeded',
  message: `It waited ${seconds} s in the queue, which is the limit, and did not run. ${why}`,
  eCode: 'E3106',
});
