import type { FileHandle } from 'node:fs/promises';

const CHUNK = 4 * 1024 * 1024;
/** A line without an end is shown in pieces of this size, so that a gigabyte on one line can be read too. */
export const LONGEST_LINE = 16 * 1024;
/** Every so many lines a place is remembered. */
const EVERY = 1000;
const LF = 10;

/**
 * Where lines begin, for files of any size: a place every thousand lines, found as far as was asked for. A file that
 * grows is followed from where it ended.
 */
export class LineIndex {
  readonly #file: FileHandle;
  /** Byte offsets of lines 0, 1000, 2000, … */
  readonly #places: number[] = [0];
  /** Where the line begins that is being looked at, its number, and how far was looked. */
  #lineStart = 0;
  #line = 0;
  #scanned = 0;
  #buffer: Buffer | null = null;
  #scanning: Promise<void> | null = null;

  constructor(file: FileHandle) {
    this.#file = file;
  }

  /** Looks on until line `line` has begun or the file ends; true when it ended there. One chunk at a time, so that others get a turn. */
  async reach(line: number, size: number): Promise<boolean> {
    while (this.#line < line && this.#scanned < size) {
      const before = this.#scanned;
      await this.#step();
      // Cut short by somebody else: what is not there is not waited for.
      if (this.#scanned === before) return true;
    }
    return this.#scanned >= size;
  }

  /** The nearest remembered place at or before a line. */
  placeBefore(line: number): { readonly line: number; readonly offset: number } {
    const at = Math.min(Math.floor(line / EVERY), this.#places.length - 1);
    return { line: at * EVERY, offset: this.#places[at] ?? 0 };
  }

  /** How many lines there are up to where was looked; the last may be unfinished. */
  get lines(): number {
    return this.#line + (this.#scanned > this.#lineStart ? 1 : 0);
  }

  /** Who asks while a chunk is being looked at waits for that one: two at once would count it twice. */
  #step(): Promise<void> {
    this.#scanning ??= this.#scan().finally(() => {
      this.#scanning = null;
    });
    return this.#scanning;
  }

  async #scan(): Promise<void> {
    const buffer = (this.#buffer ??= Buffer.allocUnsafe(CHUNK));
    const { bytesRead } = await this.#file.read(buffer, 0, CHUNK, this.#scanned);
    const base = this.#scanned;
    for (const end of lineEnds(buffer.subarray(0, bytesRead), this.#lineStart - base)) {
      this.#lineStart = base + end;
      this.#line += 1;
      if (this.#line % EVERY === 0) this.#places.push(this.#lineStart);
    }
    this.#scanned = base + bytesRead;
  }
}

/**
 * The ends of the lines in a piece of a file: after each LF, and between characters after LONGEST_LINE bytes without
 * one. `begun` says where the piece's first line began (≤ 0). The same file gives the same lines however it is cut
 * into pieces: what can't be decided yet is left to the next piece.
 */
export function* lineEnds(bytes: Uint8Array, begun: number): Generator<number> {
  let start = begun;
  while (start < bytes.length) {
    const found = bytes.indexOf(LF, Math.max(start, 0));
    const end = found === -1 ? bytes.length : found;
    for (let cut = cutOf(bytes, start); cut < end; cut = cutOf(bytes, start)) {
      yield cut;
      start = cut;
    }
    if (found === -1) return;
    yield found + 1;
    start = found + 1;
  }
}

function cutOf(bytes: Uint8Array, start: number): number {
  const limit = start + LONGEST_LINE;
  let cut = Math.max(limit, 0);
  while (cut - limit < 4 && ((bytes[cut] ?? 0) & 0xc0) === 0x80) cut += 1;
  return cut;
}
