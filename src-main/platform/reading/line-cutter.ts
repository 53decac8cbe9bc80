const NEWLINE = 0x0a;

/**
 * Cuts bytes that come in pieces into lines, without their newline. Of a line past the limit nothing is kept: it is null,
 * once, where it ends.
 */
export class LineCutter {
  readonly #maxBytes: number;
  readonly #onPart: (part: Uint8Array) => void;
  #parts: Uint8Array[] = [];
  #bytes = 0;

  /** `onPart` sees each part of a line as it comes, so that what looks at lines does not do it all at once. */
  constructor(maxBytes: number, onPart: (part: Uint8Array) => void = () => undefined) {
    this.#maxBytes = maxBytes;
    this.#onPart = onPart;
  }

  /** Whether the line that is coming is past the limit by now. */
  get isTooLong(): boolean {
    return this.#bytes > this.#maxBytes;
  }

  *push(chunk: Uint8Array): Generator<Buffer | null> {
    let from = 0;
    for (let end = chunk.indexOf(NEWLINE); end !== -1; end = chunk.indexOf(NEWLINE, from)) {
      this.#add(chunk.subarray(from, end));
      from = end + 1;
      yield this.#take();
    }
    this.#add(chunk.subarray(from));
  }

  /** The last line, where no newline ends it. */
  *end(): Generator<Buffer | null> {
    if (this.#bytes > 0) yield this.#take();
  }

  #add(part: Uint8Array): void {
    this.#bytes += part.length;
    if (this.isTooLong) this.#parts = [];
    else if (part.length > 0) {
      this.#parts.push(part);
      this.#onPart(part);
    }
  }

  #take(): Buffer | null {
    const line = this.isTooLong ? null : Buffer.concat(this.#parts);
    this.#parts = [];
    this.#bytes = 0;
    return line;
  }
}
