import type { PutMark } from './place-marks.js';

/** So much without a pause says that more of it waits: a terminal passes on little at a time, the pipe all that it has. */
const BURST_BYTES = 1024;
/** A pause: what was written before has come. The kernel carries it over when it gets to it, later where others work. */
export const PAUSE_MS = 20;
/** The bytes that a terminal can hold on its way, and more: after so many, all that was written before has come. */
export const MAX_BEHIND_BYTES = 128 * 1024;
/** While stdout goes on and on in small pieces, nobody can tell where in it the other spoke; nor where the terminal stands still. */
export const MAX_HELD_MS = 1000;

/**
 * Puts the two streams in the order in which they were written, as far as that can be told: bytes of the pipe wait
 * while the terminal still holds what was written before them. Where the terminal takes a mark, that is known to the
 * byte; elsewhere a pause has to do, and on a busy machine a pause may be anything.
 */
export class StreamOrder {
  readonly #stdout: (bytes: Buffer) => void;
  readonly #stderr: (bytes: Buffer) => void;
  /** Puts a mark behind what was written to the terminal so far; `marked` when it has come. */
  readonly #mark: () => PutMark;
  #lastStdout = -Infinity;
  #burst = 0;
  #held: Buffer[] = [];
  #heldSince = 0;
  #behind = 0;
  /** How many of those held go when the mark has come; 0 where it was not put yet. */
  #beforeMark = 0;
  #takesMarks = true;

  constructor(stdout: (bytes: Buffer) => void, stderr: (bytes: Buffer) => void, mark: () => PutMark) {
    this.#stdout = stdout;
    this.#stderr = stderr;
    this.#mark = mark;
  }

  stdout(bytes: Buffer): void {
    const now = performance.now();
    this.#burst = now - this.#lastStdout < PAUSE_MS ? this.#burst + bytes.length : bytes.length;
    this.#lastStdout = now;
    this.#stdout(bytes);
    if (this.#held.length === 0) return;
    this.#behind += bytes.length;
    if (this.#behind >= MAX_BEHIND_BYTES) this.releaseHeld();
    else this.#askForMark();
  }

  stderr(bytes: Buffer): void {
    this.#held.push(bytes);
    if (this.#held.length > 1) return;
    this.#askForMark();
    if (!this.#takesMarks && this.#burst < BURST_BYTES) return this.releaseHeld();
    this.#heldSince = performance.now();
    this.#behind = 0;
    this.#look();
  }

  /** The mark has come: so has all that was written before it. */
  marked(): void {
    const before = this.#held.splice(0, this.#beforeMark);
    this.#beforeMark = 0;
    this.#burst = 0;
    this.#behind = 0;
    for (const bytes of before) this.#stderr(bytes);
    this.#askForMark();
  }

  /** Releases the held bytes when nothing more comes on the terminal, or nothing is waited for. */
  releaseHeld(): void {
    const held = this.#held;
    this.#held = [];
    this.#beforeMark = 0;
    for (const bytes of held) this.#stderr(bytes);
  }

  #askForMark(): void {
    if (this.#held.length === 0 || this.#beforeMark > 0) return;
    const put = this.#mark();
    this.#takesMarks = put !== 'never';
    if (put === 'put') this.#beforeMark = this.#held.length;
  }

  #look(): void {
    setTimeout(() => {
      if (this.#held.length === 0) return;
      this.#askForMark();
      const last = this.#lastStdout;
      const now = performance.now();
      const since = this.#takesMarks ? Math.max(this.#heldSince, last) : this.#heldSince;
      if (now - since >= MAX_HELD_MS) this.releaseHeld();
      else if (this.#takesMarks || now - last < PAUSE_MS) this.#look();
      // Where we were late ourselves, what is there is read first.
      else setImmediate(() => (this.#lastStdout === last ? this.releaseHeld() : this.#look()));
    }, PAUSE_MS);
  }
}
