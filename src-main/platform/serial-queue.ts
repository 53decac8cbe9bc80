/** Runs tasks one at a time, in the order of asking. A failure of one is not the next one's. */
export class SerialQueue {
  #last: Promise<unknown> = Promise.resolve();

  run<T>(work: () => T | Promise<T>): Promise<T> {
    const next = this.#last.then(work);
    this.#last = next.catch(() => undefined);
    return next;
  }

  /** When all that was asked for until now is over, however it ended. */
  async over(): Promise<void> {
    await this.#last;
  }
}
