import type { AppEvent, AppSnapshot } from '#contract/window/app-events.js';
import type { GatehouseApi } from '#contract/window/channels.js';
import type { BridgeError, BridgeResult } from '#contract/vocabulary/result.js';

export interface EventFeedOptions {
  readonly fetchSnapshot: () => Promise<BridgeResult<AppSnapshot>>;
  readonly subscribe: GatehouseApi['onEvent'];
  /** Once at the start, and again whenever events were missed: everything before it is void. */
  readonly onSnapshot: (snapshot: AppSnapshot) => void;
  /** Events in order, without gaps, each following the snapshot. */
  readonly onEvent: (event: AppEvent) => void;
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

  const accept = (event: AppEvent): boolean => {
    if (seq === null || event.seq > seq + 1) return false;
    if (event.seq === seq + 1) {
      seq = event.seq;
      options.onEvent(event);
    }
    return true;
  };

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
      backlog.forEach(receive);
    });
  };

  const receive = (event: AppEvent): void => {
    if (accept(event)) return;
    waiting.push(event);
    // With a number at hand the event came too early, so one before it was lost; without one, a snapshot is on its way.
    if (seq !== null) resync();
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
