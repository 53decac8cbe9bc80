const NEWLINE = 0x0a;

/**
 * Picks lines out of bytes that come in pieces, keeping nothing but those lines. A line ends with its newline, so CRLF
 * stays whole and a last line without one is a line too.
 */
export class LineScanner {
  readonly #first: number;
  readonly #last: number;
  readonly #kept: Uint8Array[] = [];
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

  /** Takes as much of a piece as the range needs; true once the range is complete. */
  push(piece: Uint8Array): boolean {
    let from = 0;
    while (from < piece.byteLength) {
      if (this.#line > this.#last) return true;
      const newline = piece.indexOf(NEWLINE, from);
      const to = newline < 0 ? piece.byteLength : newline + 1;
      if (this.#line >= this.#first) this.#kept.push(piece.subarray(from, to));
      this.#atLineStart = newline >= 0;
      if (newline >= 0) this.#line += 1;
      from = to;
    }
    return this.#line > this.#last;
  }

  /** The lines, exactly as they are in the file. */
  bytes(): Buffer {
    return Buffer.concat(this.#kept);
  }
}
