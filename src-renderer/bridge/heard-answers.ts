/** The longest that an answer may lag behind main’s message that it was sent, although it was sent first. */
const BEHIND_MS = 5000;

/**
 * Main says of each request when its answer has left. Where that is heard and the answer is not, it was lost on its way: who
 * asked is told so, and does not wait for ever.
 */
export class HeardAnswers {
  readonly #waiting = new Map<number, (lost: Error) => void>();
  // A page that was loaded anew must not take what is said of the one before it for its own.
  #last = Math.floor(Math.random() * 2 ** 40);

  constructor(onAnswered: (listener: (id: number) => void) => void) {
    onAnswered((id) => {
      if (this.#waiting.has(id)) setTimeout(() => this.#lose(id), BEHIND_MS);
    });
  }

  async heard<T>(ask: (id: number) => Promise<T>): Promise<T> {
    this.#last += 1;
    const id = this.#last;
    try {
      return await Promise.race([
        ask(id),
        new Promise<never>((_resolve, reject) => void this.#waiting.set(id, reject)),
      ]);
    } finally {
      this.#waiting.delete(id);
    }
  }

  #lose(id: number): void {
    this.#waiting.get(id)?.(new Error('The answer was lost inside Gatehouse. Look whether it was done, or try again.'));
  }
}
