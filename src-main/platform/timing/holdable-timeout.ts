/** Longer than a timer can count is as good as without limit. */
const MAX_TIMER_MS = 2 ** 31 - 1;

/** A time limit that expires once. Its clock is paused while somebody holds it, at most so long in all. */
export class HoldableTimeout {
  readonly #onOver: () => void;
  #left: number;
  #mayHold: number;
  #holders = 0;
  /** The moment since which it runs, or is held. */
  #since = performance.now();
  #timer: NodeJS.Timeout | undefined;
  #isOver = false;

  constructor(ms: number, mostHeldMs: number, onOver: () => void) {
    this.#left = ms;
    this.#mayHold = mostHeldMs;
    this.#onOver = onOver;
    this.#resume();
  }

  /** Holds the clock until the returned function is called. */
  hold(): () => void {
    this.#holders += 1;
    if (this.#holders === 1 && this.#mayHold > 0 && !this.#isOver) this.#pause();
    let holds = true;
    return () => {
      if (!holds) return;
      holds = false;
      this.#holders -= 1;
      if (this.#holders > 0 || this.#isOver || this.#mayHold <= 0) return;
      this.#mayHold -= performance.now() - this.#since;
      this.#resume();
    };
  }

  clear(): void {
    this.#isOver = true;
    clearTimeout(this.#timer);
  }

  #resume(): void {
    this.#schedule(this.#left, () => {
      this.clear();
      this.#onOver();
    });
  }

  #pause(): void {
    this.#left -= performance.now() - this.#since;
    this.#schedule(this.#mayHold, () => {
      this.#mayHold = 0;
      this.#resume();
    });
  }

  #schedule(ms: number, then: () => void): void {
    clearTimeout(this.#timer);
    this.#since = performance.now();
    if (ms !== Infinity) this.#timer = setTimeout(then, Math.min(Math.max(0, ms), MAX_TIMER_MS));
  }
}

/** How long a person may be waited for, by the settings: 0 seconds are without limit. */
export const toWaitMs = (waitSeconds: number): number => (waitSeconds <= 0 ? Infinity : waitSeconds * 1000);
