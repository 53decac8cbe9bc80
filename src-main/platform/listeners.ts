/**
 * Listeners, called in the order in which they subscribed. One that throws keeps no other from hearing: its fault goes
 * to `onFault`, or, where nobody takes it, to the caller once all were called.
 */
export class Listeners<Args extends readonly unknown[] = []> {
  readonly #all = new Set<(...told: Args) => void>();
  readonly #onFault: ((fault: unknown) => void) | null;

  constructor(onFault: ((fault: unknown) => void) | null = null) {
    this.#onFault = onFault;
  }

  /** Gives the way to stop. */
  add(listener: (...told: Args) => void): () => void {
    this.#all.add(listener);
    return () => void this.#all.delete(listener);
  }

  tell(...told: Args): void {
    const faults: unknown[] = [];
    for (const listener of this.#all) {
      try {
        listener(...told);
      } catch (fault) {
        faults.push(fault);
      }
    }
    if (faults.length === 0) return;
    if (this.#onFault === null) throw faults[0];
    for (const fault of faults) this.#onFault(fault);
  }

  get isEmpty(): boolean {
    return this.#all.size === 0;
  }

  clear(): void {
    this.#all.clear();
  }
}
