import { createHash, type Hash } from 'node:crypto';
import type { JailedFile } from '../../../domain/ports/workspace/sandbox.js';
import { ToolFailure } from '../../../domain/tool/tool.js';
import { LARGEST_FILE } from '../../../domain/size-bounds.js';

export const SNIFF_BYTES = 8192;
const PIECE_BYTES = 65_536;

/** Reads a file once, from its start, a piece at a time, hashing what goes by. Holds one piece, whatever the file's size. */
export class FileScan {
  readonly #file: JailedFile;
  readonly #signal: AbortSignal;
  readonly #hash: Hash = createHash('sha256');
  #position = 0;
  #ended = false;

  constructor(file: JailedFile, signal: AbortSignal) {
    this.#file = file;
    this.#signal = signal;
  }

  get bytesRead(): number {
    return this.#position;
  }

  get ended(): boolean {
    return this.#ended;
  }

  /** Up to `most` bytes; fewer only at the end of the file. */
  async next(most: number = PIECE_BYTES): Promise<Buffer> {
    const buffer = Buffer.allocUnsafe(most);
    let filled = 0;
    while (filled < most && !this.#ended) {
      this.#signal.throwIfAborted();
      const got = await this.#file.read(buffer.subarray(filled), this.#position);
      const asked = most - filled;
      filled += got;
      this.#position += got;
      // A regular file gives all that was asked but at its end; asking once more there would double the cost of a small one.
      if (got === 0 || (got < asked && this.#position >= this.#file.facts.size)) this.#ended = true;
    }
    const piece = buffer.subarray(0, filled);
    this.#hash.update(piece);
    return piece;
  }

  /** Hashes the whole file; null when it is too large. Reads what is left. */
  async wholeHash(): Promise<string | null> {
    if (Math.max(this.#file.facts.size, this.#position) > LARGEST_FILE) return null;
    while (!this.#ended) {
      await this.next();
      if (this.#position > LARGEST_FILE) return null;
    }
    return this.#hash.digest('hex');
  }
}

/** Whether bytes that come in pieces are UTF-8. */
export class Utf8Check {
  readonly #decoder = new TextDecoder('utf-8', { fatal: true });

  /** False as soon as they are not. `last`: nothing comes after, so a cut character is an error. */
  accepts(piece: Uint8Array, last: boolean): boolean {
    try {
      this.#decoder.decode(piece, { stream: !last });
      return true;
    } catch {
      return false;
    }
  }
}

export const failed = (message: string): ToolFailure => new ToolFailure({ code: 'ExecutionFailed', message });
