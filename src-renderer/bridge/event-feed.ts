import type { AppEvent, AppSnapshot } from '#contract/window/app-events.js';
import type { GatehouseApi } from '#contract/window/channels.js';
import type { BridgeError, BridgeResult } from '#contract/window/result.js';

export interface EventFeedOptions {
  readonly fetchSnapshot: () => Promise<BridgeResult<AppSnapshot>>;
  readonly subscribe: GatehouseApi['onEvents'];
  /** Once at the start, and again whenever events were missed: everything before it is void. */
  readonly onSnapshot: (snapshot: AppSnapshot) => void;
  /** Events in order, without gaps, each following the snapshot. */
  readonly onEvents: (events: readonly AppEvent[]) => void;
  readonly onProblem: (error: BridgeError) => void;
}

export interface EventFeed {
  /** Asks for a fresh snapshot, after a problem. */
  readonly resync: () => void;
  readonly stop: () => void;
}

/**
 * A snapshot, then numbered events. Listening begins before the snapshot is asked for, so nothing falls between; a
 * number that is missing means that something was lost, and the only honest answer is a new snapshot.
 */
export function startEventFeed(options: EventFeedOptions): EventFeed {
  let seq: number | null = null;
  let waiting: AppEvent[] = [];
  let generation = 0;

  const resync = (): void => {
    seq = null;
    const mine = ++generation;
    void options.fetchSnapshot().then((answer) => {
      if (mine !== generation) return;
      if (!answer.ok) {
        options.onProblem(answer.error);
        return;
      }
      seq = answer.value.seq;
      options.onSnapshot(answer.value);
      const backlog = waiting;
      waiting = [];
      receive(backlog);
    });
  };

  const receive = (events: readonly AppEvent[]): void => {
    const next: AppEvent[] = [];
    const early: AppEvent[] = [];
    for (const event of events) {
      if (seq === null || event.seq > seq + 1) early.push(event);
      else if (event.seq === seq + 1) {
        seq = event.seq;
        next.push(event);
      }
    }
    if (next.length > 0) options.onEvents(next);
    waiting.push(...early);
    // Events with a number at hand came too early, so one before them was lost; without one, a snapshot is on its way.
    if (early.length > 0 && seq !== null) resync();
  };

  const unsubscribe = options.subscribe(receive);
  resync();
  return {
    resync,
    stop: () => {
      generation += 1;
      waiting = [];
      unsubscribe();
    },
  };
}
