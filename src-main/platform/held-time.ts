/** Longer than a timer can count is as good as without limit. */
const LONGEST_MS = 2 ** 31 - 1;

/** A time limit that expires once. Its clock is paused while somebody holds it, at most so long in all. */
export class HeldTime {
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
    this.#goOn();
  }

  /** Holds the clock until the returned function is called. */
  hold(): () => void {
    this.#holders += 1;
    if (this.#holders === 1 && this.#mayHold > 0 && !this.#isOver) this.#standStill();
    let holds = true;
    return () => {
      if (!holds) return;
      holds = false;
      this.#holders -= 1;
      if (this.#holders > 0 || this.#isOver || this.#mayHold <= 0) return;
      this.#mayHold -= performance.now() - this.#since;
      this.#goOn();
    };
  }

  clear(): void {
    this.#isOver = true;
    clearTimeout(this.#timer);
  }

  #goOn(): void {
    this.#begins(this.#left, () => {
      this.clear();
      this.#onOver();
    });
  }

  #standStill(): void {
    this.#left -= performance.now() - this.#since;
    this.#begins(this.#mayHold, () => {
      this.#mayHold = 0;
      this.#goOn();
    });
  }

  #begins(ms: number, then: () => void): void {
    clearTimeout(this.#timer);
    this.#since = performance.now();
    if (ms !== Infinity) this.#timer = setTimeout(then, Math.min(Math.max(0, ms), LONGEST_MS));
  }
}

/** How long a person may be waited for, by the settings: 0 seconds are without limit. */
export const personsTimeMs = (waitSeconds: number): number => (waitSeconds <= 0 ? Infinity : waitSeconds * 1000);
