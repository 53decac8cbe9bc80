/**
 * Something of the system's that is open, and is closed when nothing uses it any more: a descriptor's number is used again
 * as soon as it is closed, and what is under way would then act on whatever was opened next.
 */
export class RefCounted<Open> {
  readonly #open: Open;
  readonly #close: (open: Open) => void;
  readonly #closed: string;
  #users = 0;
  #closing: Promise<void> | null = null;
  #whenIdle: (() => void) | null = null;

  /** `closed`: what is thrown at who comes later. */
  constructor(open: Open, close: (open: Open) => void, closed: string) {
    this.#open = open;
    this.#close = close;
    this.#closed = closed;
  }

  async use<T>(work: (open: Open) => Promise<T>): Promise<T> {
    if (this.#closing !== null) throw new Error(this.#closed);
    this.#users += 1;
    try {
      return await work(this.#open);
    } finally {
      this.#users -= 1;
      if (this.#users === 0) this.#whenIdle?.();
    }
  }

  /** Waits for what is under way, and lets nothing begin. */
  close(): Promise<void> {
    return (this.#closing ??= this.#closeWhenIdle());
  }

  async #closeWhenIdle(): Promise<void> {
    if (this.#users > 0) await new Promise<void>((resolve) => (this.#whenIdle = resolve));
    this.#close(this.#open);
  }
}
