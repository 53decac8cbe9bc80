/** Who wants to be told, in the order in which they asked. */
export class Listeners<Told extends readonly unknown[] = []> {
  readonly #all = new Set<(...told: Told) => void>();

  /** Gives the way to stop. */
  add(listener: (...told: Told) => void): () => void {
    this.#all.add(listener);
    return () => void this.#all.delete(listener);
  }

  tell(...told: Told): void {
    for (const listener of this.#all) listener(...told);
  }

  clear(): void {
    this.#all.clear();
  }
}
