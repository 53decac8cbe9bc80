const FIRST_DELAY_MS = 1000;
const MAX_DELAY_MS = 60_000;

/** Delays retries: a source that fails again and again is tried again later and later. */
export class BackOff {
  #failures = 0;
  #until = 0;
  readonly #now: () => number;

  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  /** The remaining delay in ms; 0 where it may be tried. */
  get remainingMs(): number {
    return Math.max(0, this.#until - this.#now());
  }

  failed(): void {
    this.#failures += 1;
    // The first failure delays nothing.
    if (this.#failures > 1)
      this.#until = this.#now() + Math.min(FIRST_DELAY_MS * 2 ** (this.#failures - 2), MAX_DELAY_MS);
  }

  succeeded(): void {
    this.#failures = 0;
    this.#until = 0;
  }
}
