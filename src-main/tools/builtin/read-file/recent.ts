/** The last bytes of many, a piece at a time. Holds as many as asked for and a piece. */
export class RecentScans {
  readonly #most: number;
  #pieces: Uint8Array[] = [];
  #held = 0;

  constructor(most: number) {
    this.#most = most;
  }

  push(piece: Uint8Array): void {
    if (piece.byteLength === 0) return;
    this.#pieces.push(piece);
    this.#held += piece.byteLength;
    if (this.#held < 2 * this.#most) return;
    this.#pieces = [this.bytes()];
    this.#held = this.#most;
  }

  bytes(): Buffer {
    const all = Buffer.concat(this.#pieces);
    return all.subarray(Math.max(0, all.byteLength - this.#most));
  }
}
