import type { FileHandle } from 'node:fs/promises';
import { TerminalRows, type OutputRow, type OutputStreamName } from '#contract/vocabulary/screen/terminal-rows.js';
import { DrawingMarks } from '../../domain/text/drawing-marks.js';
import { createByteSanitizer } from '../../domain/text/sanitize.js';

/** Drawn at once; after each a place is remembered. */
const BLOCK_BYTES = 256 * 1024;
/** How far back a good end of a block is looked for. */
const MAX_LOOKBACK = 4096;
const LF = 10;

/** The next bytes of one stream, before it is the other's turn. */
export interface OutputTurn {
  readonly stream: OutputStreamName;
  readonly bytes: number;
}

/** A place from which drawing can go on: nothing is held back there. */
interface DrawPlace {
  /** How many rows are finished. */
  readonly row: number;
  readonly turn: number;
  readonly inTurn: number;
  readonly offsets: Readonly<Record<OutputStreamName, number>>;
  readonly rows: TerminalRows;
}

interface DrawStep {
  readonly rows: readonly OutputRow[];
  /** The place after these rows; null where nobody could go on from. */
  readonly place: DrawPlace | null;
}

/** The rows of an output of any size, as a terminal draws them; found as far as was asked for. */
export class DrawnOutput {
  readonly #files: Readonly<Partial<Record<OutputStreamName, FileHandle>>>;
  readonly #turns: readonly OutputTurn[];
  readonly #places: DrawPlace[] = [
    { row: 0, turn: 0, inTurn: 0, offsets: { stdout: 0, stderr: 0 }, rows: new TerminalRows() },
  ];
  readonly #looking: AsyncGenerator<DrawStep>;
  #rows = 0;
  #ended = false;
  #step: Promise<void> | null = null;

  constructor(files: Readonly<Partial<Record<OutputStreamName, FileHandle>>>, turns: readonly OutputTurn[]) {
    this.#files = files;
    this.#turns = turns;
    this.#looking = this.#draw(this.#placeBefore(0));
  }

  /** Looks on until so many rows are known or there are no more. One block at a time, so that others get a turn. */
  async reach(rows: number): Promise<void> {
    while (!this.#ended && this.#rows < rows) {
      // Who asks while a block is being looked at waits for that one: two at once would count it twice.
      this.#step ??= this.#look().finally(() => {
        this.#step = null;
      });
      await this.#step;
    }
  }

  /** Null until all were counted. */
  get total(): number | null {
    return this.#ended ? this.#rows : null;
  }

  /** Yields the rows from `from` on, in pieces. */
  async *rowsFrom(from: number): AsyncGenerator<{ readonly row: number; readonly rows: readonly OutputRow[] }> {
    await this.reach(from);
    const place = this.#placeBefore(from);
    let { row } = place;
    for await (const { rows } of this.#draw(place)) {
      const skipped = Math.min(rows.length, Math.max(0, from - row));
      if (skipped < rows.length) yield { row: row + skipped, rows: skipped === 0 ? rows : rows.slice(skipped) };
      row += rows.length;
    }
  }

  async #look(): Promise<void> {
    const { value, done = false } = (await this.#looking.next()) as IteratorResult<DrawStep, undefined>;
    this.#ended = done;
    if (value === undefined) return;
    this.#rows += value.rows.length;
    if (value.place !== null) this.#places.push(value.place);
  }

  #placeBefore(row: number): DrawPlace {
    const found = this.#places.findLast((place) => place.row <= row) ?? this.#places[0];
    if (found === undefined) throw new Error('There is always the first.');
    return found;
  }

  async *#draw(from: DrawPlace): AsyncGenerator<DrawStep> {
    const rows = from.rows.copy();
    const texts = { stdout: new StreamText(), stderr: new StreamText() };
    const offsets = { ...from.offsets };
    let { row, turn, inTurn } = from;
    for (let now = this.#turns[turn]; now !== undefined; now = this.#turns[turn]) {
      const { stream } = now;
      const block = await this.#read(stream, offsets[stream], now.bytes - inTurn);
      const isLast = inTurn + block.length >= now.bytes;
      const { bytes, isGood } = isLast ? { bytes: block, isGood: endsInAscii(block) } : cutAtCharacter(block);
      const drawn = rows.push(texts[stream].push(bytes), stream);
      offsets[stream] += bytes.length;
      inTurn += bytes.length;
      // Cut short by somebody else: what is not there is not waited for.
      if (block.length === 0 || inTurn >= now.bytes) {
        [turn, inTurn] = [turn + 1, 0];
        drawn.push(...rows.push(texts[stream].heldReturn(), stream));
      }
      row += drawn.length;
      const canGoOn = isGood && bytes.length >= BLOCK_BYTES / 2 && texts.stdout.isAtRest && texts.stderr.isAtRest;
      yield { rows: drawn, place: canGoOn ? { row, turn, inTurn, offsets: { ...offsets }, rows: rows.copy() } : null };
    }
    const last = (['stdout', 'stderr'] as const).flatMap((stream) => rows.push(texts[stream].end(), stream));
    yield { rows: [...last, ...rows.end()], place: null };
  }

  async #read(stream: OutputStreamName, offset: number, most: number): Promise<Buffer> {
    const file = this.#files[stream];
    if (file === undefined) return Buffer.alloc(0);
    const block = Buffer.allocUnsafe(Math.min(BLOCK_BYTES, most));
    const { bytesRead } = await file.read(block, 0, block.length, offset);
    return block.subarray(0, bytesRead);
  }
}

/** Bytes of one stream as text with what it is drawn by. */
class StreamText {
  readonly #marks = new DrawingMarks();
  readonly #sanitizer = createByteSanitizer(this.#marks.add);
  #endsInAscii = true;

  push(bytes: Uint8Array): string {
    if (bytes.length > 0) this.#endsInAscii = endsInAscii(bytes);
    return this.#drawable(this.#sanitizer.push(bytes));
  }

  end(): string {
    return this.#drawable(this.#sanitizer.end());
  }

  /** The other one draws now: where this one left the cursor counts. */
  heldReturn(): string {
    return this.#drawable(this.#sanitizer.heldReturn());
  }

  get isAtRest(): boolean {
    return this.#endsInAscii && this.#sanitizer.isAtRest;
  }

  #drawable(whole: string): string {
    return this.#marks.take({ length: whole.length, whole, blots: [] }).shown;
  }
}

const endsInAscii = (bytes: Uint8Array): boolean => (bytes.at(-1) ?? 0) < 0x80;

/** The part of a block that ends with a line, or at least with a whole character. */
function cutAtCharacter(block: Buffer): { readonly bytes: Buffer; readonly isGood: boolean } {
  const line = block.lastIndexOf(LF) + 1;
  if (line > BLOCK_BYTES / 2) return { bytes: block.subarray(0, line), isGood: true };
  for (let end = block.length; end > Math.max(0, block.length - MAX_LOOKBACK); end -= 1) {
    if ((block[end - 1] ?? 0xff) < 0x80) return { bytes: block.subarray(0, end), isGood: true };
  }
  return { bytes: block, isGood: false };
}
