/** Worked on at once, so that other work on this thread never waits long. */
export const BATCH_BYTES = 256 * 1024;

/** The bytes of one turn of a stream. */
export interface OutputChunk {
  readonly bytes: Buffer;
  readonly turn: number;
}

/** The output that waits to be processed, in order. */
export class OutputQueue {
  readonly #said: OutputChunk[] = [];
  #bytes = 0;

  get bytes(): number {
    return this.#bytes;
  }

  push(bytes: Buffer, turn: number): void {
    this.#said.push({ bytes, turn });
    this.#bytes += bytes.length;
  }

  /** The next batch: what came in one turn is one piece. */
  take(): readonly OutputChunk[] {
    const batch: OutputChunk[] = [];
    let bytes = 0;
    let from = 0;
    for (let to = 0; to < this.#said.length && bytes < BATCH_BYTES;) {
      bytes += this.#said[to]?.bytes.length ?? 0;
      to += 1;
      const first = this.#said[from];
      if (first === undefined || (this.#said[to]?.turn === first.turn && bytes < BATCH_BYTES)) continue;
      const same = this.#said.slice(from, to).map((each) => each.bytes);
      batch.push({ turn: first.turn, bytes: same.length === 1 ? first.bytes : Buffer.concat(same) });
      from = to;
    }
    this.#said.splice(0, from);
    this.#bytes -= bytes;
    return batch;
  }
}
