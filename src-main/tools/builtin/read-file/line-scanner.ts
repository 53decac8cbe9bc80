import { RecentScans } from './recent.js';

const NEWLINE = 0x0a;

/**
 * So much of what stands before and behind the lines is kept as well: whether a line is part of a secret, what stands
 * around it says. It is more than the longest key that is looked for, with its head or its end.
 */
export const AROUND_BYTES = 160 * 1024;

/**
 * Picks lines out of bytes that come in pieces, keeping nothing but those lines and what stands around them. A line ends
 * with its newline, so CRLF stays whole and a last line without one is a line too.
 */
export class LineScanner {
  readonly #first: number;
  readonly #last: number;
  readonly #kept: Uint8Array[] = [];
  readonly #before = new RecentScans(AROUND_BYTES);
  readonly #after: Uint8Array[] = [];
  #afterBytes = 0;
  #line = 1;
  #atLineStart = true;

  constructor(first: number, last: number) {
    this.#first = first;
    this.#last = last;
  }

  /** How many lines began so far. */
  get lines(): number {
    return this.#atLineStart ? this.#line - 1 : this.#line;
  }

  /** Whether what stands behind the range is still to come. */
  get wantsMore(): boolean {
    return this.#afterBytes < AROUND_BYTES;
  }

  /** Takes as much of a piece as the range needs; true once the range is complete. */
  push(piece: Uint8Array): boolean {
    let from = 0;
    let ahead = 0;
    while (from < piece.byteLength && this.#line <= this.#last) {
      const newline = piece.indexOf(NEWLINE, from);
      const to = newline < 0 ? piece.byteLength : newline + 1;
      if (this.#line >= this.#first) this.#kept.push(piece.subarray(from, to));
      else ahead = to;
      this.#atLineStart = newline >= 0;
      if (newline >= 0) this.#line += 1;
      from = to;
    }
    this.#before.push(piece.subarray(0, ahead));
    const rest = piece.subarray(from, from + AROUND_BYTES - this.#afterBytes);
    this.#after.push(rest);
    this.#afterBytes += rest.byteLength;
    return this.#line > this.#last;
  }

  /** The lines, exactly as they are in the file. */
  bytes(): Buffer {
    return Buffer.concat(this.#kept);
  }

  /** Returns the bytes before and behind the lines. */
  around(): { readonly before: Buffer; readonly after: Buffer } {
    return { before: this.#before.bytes(), after: Buffer.concat(this.#after) };
  }
}
