/** So much without a pause says that more of it waits: a terminal passes on little at a time, the pipe all that it has. */
const BURST_BYTES = 1024;
/** A pause: what was written before has come. The kernel carries it over when it gets to it, later where others work. */
export const PAUSE_MS = 20;
/** What a terminal can hold on its way, and more: after it, all that was written before has come. */
export const MOST_BEHIND_BYTES = 128 * 1024;
/** While stdout goes on and on in small pieces, nobody can tell where in it the other spoke. */
export const LONGEST_MS = 1000;

/**
 * What came on the pipe while the terminal still had what was written before it waits for that. So the two streams are in
 * the order in which they were written, as far as that can be told.
 */
export class InTurn {
  readonly #stdout: (bytes: Buffer) => void;
  readonly #stderr: (bytes: Buffer) => void;
  #lastStdout = -Infinity;
  #burst = 0;
  #held: Buffer[] = [];
  #heldSince = 0;
  #behind = 0;

  constructor(stdout: (bytes: Buffer) => void, stderr: (bytes: Buffer) => void) {
    this.#stdout = stdout;
    this.#stderr = stderr;
  }

  stdout(bytes: Buffer): void {
    const now = performance.now();
    this.#burst = now - this.#lastStdout < PAUSE_MS ? this.#burst + bytes.length : bytes.length;
    this.#lastStdout = now;
    this.#stdout(bytes);
    if (this.#held.length === 0) return;
    this.#behind += bytes.length;
    if (this.#behind >= MOST_BEHIND_BYTES) this.letGo();
  }

  stderr(bytes: Buffer): void {
    const now = performance.now();
    const passes = this.#burst < BURST_BYTES || now - this.#lastStdout >= PAUSE_MS;
    if (passes && this.#held.length === 0) {
      this.#stderr(bytes);
      return;
    }
    this.#held.push(bytes);
    if (this.#held.length > 1) return;
    this.#heldSince = now;
    this.#behind = 0;
    this.#look();
  }

  /** Nothing more comes on the terminal, or nothing is waited for. */
  letGo(): void {
    const held = this.#held;
    this.#held = [];
    for (const bytes of held) this.#stderr(bytes);
  }

  #look(): void {
    setTimeout(() => {
      if (this.#held.length === 0) return;
      const last = this.#lastStdout;
      const now = performance.now();
      if (now - this.#heldSince >= LONGEST_MS) this.letGo();
      else if (now - last < PAUSE_MS) this.#look();
      // Where we were late ourselves, what is there is read first.
      else setImmediate(() => (this.#lastStdout === last ? this.letGo() : this.#look()));
    }, PAUSE_MS);
  }
}
