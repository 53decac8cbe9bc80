/**
 * Work that is done again and again, one at a time, with so many ms between: however often it is asked for meanwhile, it is
 * done once, for all of that together. The first time it is done at once.
 */
export class Throttle {
  readonly #betweenMs: number;
  readonly #work: () => Promise<void>;
  #asked = false;
  #hurried: 'no' | 'once' | 'always' = 'no';
  #running: Promise<void> | null = null;
  #over = Number.NEGATIVE_INFINITY;
  #wake: (() => void) | null = null;

  constructor(betweenMs: number, work: () => Promise<void>) {
    this.#betweenMs = betweenMs;
    this.#work = work;
  }

  ask(): void {
    this.#asked = true;
    this.#running ??= this.#run();
  }

  /** The next time comes without a wait; with `always`, every time from now on. */
  hurry(always = false): void {
    this.#hurried = always ? 'always' : this.#hurried === 'no' ? 'once' : this.#hurried;
    this.#wake?.();
  }

  /** When nothing is asked for any more. */
  async done(): Promise<void> {
    while (this.#running !== null) await this.#running;
  }

  async #run(): Promise<void> {
    try {
      // The caller may ask for more in this turn.
      await Promise.resolve();
      while (this.#asked) {
        await this.#wait();
        if (this.#hurried === 'once') this.#hurried = 'no';
        this.#asked = false;
        await this.#work();
        this.#over = performance.now();
      }
    } finally {
      // A request from now on begins anew, so this is reset right after the last check.
      this.#running = null;
    }
  }

  #wait(): Promise<void> | undefined {
    const left = this.#over + this.#betweenMs - performance.now();
    if (left <= 0 || this.#hurried !== 'no') return undefined;
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, Math.ceil(left));
    this.#wake = () => {
      clearTimeout(timer);
      resolve();
    };
    return promise;
  }
}
