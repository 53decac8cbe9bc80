import type { AppEvent } from '#contract/window/app-events.js';

/** The interval of events. Sixty times a second is as often as anybody can see. */
const INTERVAL_MS = 16;
/**
 * The interval of events about lists. Nobody reads rows that change more often; drawing them takes more of the machine
 * than the calls that they are of.
 */
const LIST_INTERVAL_MS = 100;
/**
 * The delay of a first event about lists: a call that is over in a moment is drawn when it is over; its row would take
 * the machine from it, to be drawn again.
 */
const LIST_FIRST_DELAY_MS = 32;
const LIST_EVENTS: ReadonlySet<AppEvent['type']> = new Set(['call', 'status']);

/**
 * Gathers the events for the page and sends them together: a page draws what comes together once, and whoever asked for
 * a call is answered before anybody draws it.
 */
export class EventBatcher {
  readonly #send: (events: readonly AppEvent[]) => void;
  #waiting: AppEvent[] = [];
  #timer: NodeJS.Timeout | undefined;
  #due = Number.POSITIVE_INFINITY;
  #sentAt = Number.NEGATIVE_INFINITY;

  constructor(send: (events: readonly AppEvent[]) => void) {
    this.#send = send;
  }

  add(event: AppEvent): void {
    this.#waiting.push(event);
    const now = performance.now();
    const due = LIST_EVENTS.has(event.type)
      ? Math.max(this.#sentAt + LIST_INTERVAL_MS, now + LIST_FIRST_DELAY_MS)
      : this.#sentAt + INTERVAL_MS;
    if (due >= this.#due) return;
    this.#due = due;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.flush(), Math.max(0, due - now));
  }

  /** Sends at once: what was told before something else is heard before it. */
  flush(): void {
    clearTimeout(this.#timer);
    this.#due = Number.POSITIVE_INFINITY;
    const events = this.#waiting;
    if (events.length === 0) return;
    this.#waiting = [];
    this.#sentAt = performance.now();
    this.#send(events);
  }
}
