import type { Config } from '#contract/vocabulary/config.js';
import type { Failure } from '#contract/vocabulary/outcomes.js';
import type { PlaceQueue, PlaceWanted, Ticket } from '../../domain/ports/gate/place-queue.js';
import { RunningCounts } from './running-counts.js';
import { whyNoPlace } from './why-no-place.js';

/** How often newer calls may go before one that could have gone: then it goes first. */
export const PATIENCE = 8;

export interface PlacesParts {
  /** For all calls, or (more closely) for those of one folder; a tool may have a bound of its own. */
  readonly limits: (folder?: string, toolId?: string) => Config['tools']['queue'];
  /** Whether the person paused who is paused by that. */
  readonly isPaused: (pausedAs: string) => boolean;
  /** How long what has little priority waits before it counts as any other. */
  readonly starvationMs: () => number;
  readonly now: () => number;
  /** What all declared needs together may come to. */
  readonly memoryBytes: number;
  /** In a full queue who has most waiting gives room to who has less; left out, who came first keeps it. */
  readonly sharesRoom?: true;
}

interface Entry extends Ticket {
  readonly wanted: PlaceWanted;
  readonly since: number;
  passedOver: number;
  end(refusal: Failure | null): void;
}

/**
 * A place for each call that runs: bounded in all, for each tool and for each agent, and one at a time in a session. Who
 * waits is called in the order in which they came, but the person's own calls go first, then those of more priority, and then
 * those of the agent that has least running, but for those that are to keep their order. Whoever could have gone and was passed over
 * eight times by its like goes before them, and what has little priority counts as any other after a while, so nobody waits for ever.
 */
export class Places implements PlaceQueue {
  readonly #parts: PlacesParts;
  readonly #running = new Map<Ticket, Entry>();
  readonly #counts = new RunningCounts();
  readonly #inFolders = new Map<string, RunningCounts>();
  /** In the order in which they came. */
  #waiting: readonly Entry[] = [];

  constructor(parts: PlacesParts) {
    this.#parts = parts;
  }

  ask(wanted: PlaceWanted): Ticket | Failure {
    const never = this.#neverFits(wanted);
    if (never !== null) return never;
    const why = this.#why(wanted);
    const entry = this.#entry(wanted, why);
    if (why === null) {
      this.#call(entry);
      return entry;
    }
    const noRoom = this.#noRoomToWait(wanted);
    if (noRoom !== null) {
      const giving = this.#givesRoomTo(wanted);
      if (giving === null) return noRoom;
      this.#leave(giving, gaveRoom);
    }
    this.#wait(entry, why, this.#parts.limits(wanted.folder).max_wait_seconds);
    return entry;
  }

  pass(from: Ticket, wanted: PlaceWanted): Ticket | null {
    const leaving = this.#running.get(from);
    if (leaving === undefined) return null;
    this.#vacate(leaving);
    const next = this.#next() === null ? this.#askNow(wanted) : null;
    if (next === null) this.#occupy(leaving);
    return next;
  }

  /** The limits changed, or who is paused. */
  review(): void {
    for (let entry = this.#next(); entry !== null; entry = this.#next()) {
      this.#passOver(entry);
      this.#waiting = this.#waiting.filter((each) => each !== entry);
      this.#call(entry);
    }
  }

  /** The last that came of whoever has most waiting, where that leaves them no less than it gives; so nobody takes it back. */
  #givesRoomTo(wanted: PlaceWanted): Entry | null {
    if (this.#parts.sharesRoom === undefined || this.#isPaused(wanted)) return null;
    const giving = this.#waiting.filter((entry) => !entry.wanted.urgent && !this.#isPaused(entry.wanted));
    const byAgent = Map.groupBy(giving, (entry) => entry.wanted.agent);
    const own = byAgent.get(wanted.agent)?.length ?? 0;
    const most = [...byAgent.values()].reduce((best, each) => (each.length > best.length ? each : best), []);
    const last = most.at(-1);
    return last !== undefined && most.length > own + 1 && this.#noRoomToWait(wanted, last) === null ? last : null;
  }

  /** Who is paused takes no room from the others. */
  #noRoomToWait(wanted: PlaceWanted, without: Entry | null = null): Failure | null {
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

  #askNow(wanted: PlaceWanted): Ticket | null {
    if (this.#neverFits(wanted) !== null || this.#why(wanted) !== null) return null;
    const entry = this.#entry(wanted, null);
    this.#call(entry);
    return entry;
  }

  #entry(wanted: PlaceWanted, why: string | null): Entry {
    const { promise, resolve } = Promise.withResolvers<Failure | null>();
    const entry: Entry = {
      wanted,
      since: this.#parts.now(),
      why,
      called: promise,
      passedOver: 0,
      end: resolve,
      release: () => this.#release(entry),
    };
    return entry;
  }

  #call(entry: Entry): void {
    this.#occupy(entry);
    entry.end(null);
  }

  #occupy(entry: Entry): void {
    this.#running.set(entry, entry);
    this.#counts.add(entry.wanted);
    this.#inFolder(entry.wanted.folder).add(entry.wanted);
  }

  #vacate(entry: Entry): boolean {
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

  #wait(entry: Entry, why: string, longestSeconds: number): void {
    this.#waiting = [...this.#waiting, entry];
    if (longestSeconds === 0) return;
    // For as long as it is paused it waits, whatever the limit.
    const over = (): void => {
      if (this.#isPaused(entry.wanted)) timer.refresh();
      else this.#leave(entry, waitedTooLong(longestSeconds, why));
    };
    const timer = setTimeout(over, longestSeconds * 1000);
    void entry.called.then(() => clearTimeout(timer));
  }

  #release(entry: Entry): void {
    if (this.#vacate(entry)) this.review();
    else this.#leave(entry, null);
  }

  #leave(entry: Entry, refusal: Failure | null): void {
    this.#waiting = this.#waiting.filter((each) => each !== entry);
    entry.end(refusal);
  }

  /** Who goes next; null where nobody can. */
  #next(): Entry | null {
    const able = this.#waiting.filter(({ wanted }) => this.#why(wanted) === null);
    const first = Math.min(...able.map((each) => this.#class(each)));
    const like = able.filter((each) => this.#class(each) === first);
    // Patience goes before the person's own calls, and never before more priority.
    const overdue = this.#firstOfOthers(able).find(({ passedOver }) => passedOver >= PATIENCE);
    return (
      overdue ??
      like.reduce<Entry | null>((best, each) => (best === null || this.#before(each, best) ? each : best), null)
    );
  }

  #firstOfOthers(able: readonly Entry[]): readonly Entry[] {
    const others = able.filter(({ wanted }) => !wanted.urgent);
    const first = Math.min(...others.map((each) => this.#class(each)));
    return able.filter((each) => each.wanted.urgent || this.#class(each) === first);
  }

  #before(one: Entry, other: Entry): boolean {
    if (one.wanted.inOrder && other.wanted.inOrder) return false;
    return this.#counts.ofAgent(one.wanted.agent) < this.#counts.ofAgent(other.wanted.agent);
  }

  /** The lower goes first: the person's own, then by priority. */
  #class({ wanted: { urgent, priority }, since }: Entry): number {
    if (urgent) return 0;
    if (priority === 'high') return 1;
    return priority === 'normal' || this.#parts.now() - since >= this.#parts.starvationMs() ? 2 : 3;
  }

  #passOver(chosen: Entry): void {
    const like = this.#class(chosen);
    for (const entry of this.#waiting) {
      if (entry === chosen) return;
      if ((chosen.wanted.urgent || this.#class(entry) === like) && this.#why(entry.wanted) === null)
        entry.passedOver += 1;
    }
  }

  #isPaused({ pausedAs }: PlaceWanted): boolean {
    return pausedAs !== null && this.#parts.isPaused(pausedAs);
  }

  #why(wanted: PlaceWanted): string | null {
    if (this.#isPaused(wanted)) return `${wanted.name} is paused.`;
    const { limits, memoryBytes } = this.#parts;
    const inFolder = this.#inFolders.get(wanted.folder) ?? NOTHING_RUNS;
    return (
      whyNoPlace(wanted, this.#counts, limits(undefined, wanted.toolId), memoryBytes) ??
      whyNoPlace(wanted, inFolder, limits(wanted.folder, wanted.toolId), memoryBytes)
    );
  }

  #neverFits({ tool, memoryBytes }: PlaceWanted): Failure | null {
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
