import type { OutputStreamName } from '#contract/vocabulary/screen/terminal-rows.js';

/** The number of turns past which the two streams are not told apart any more: the rest of each is one turn. */
const MAX_TURNS = 200_000;

/** The order in which a command's two streams spoke, and how much of each turn was kept. */
export class OutputOrder {
  readonly #streams: OutputStreamName[] = [];
  readonly #kept: number[] = [];
  readonly #last = { stdout: 0, stderr: 0 };

  /** The turn of a stream that speaks now: it is over once the other one does. */
  turnOf(stream: OutputStreamName): number {
    const goesOn =
      this.#streams.at(-1) === stream || (this.#streams.length >= MAX_TURNS && this.#streams.includes(stream));
    if (!goesOn) {
      this.#last[stream] = this.#streams.length;
      this.#streams.push(stream);
      this.#kept.push(0);
    }
    return this.#last[stream];
  }

  kept(turn: number, bytes: number): void {
    this.#kept[turn] = (this.#kept[turn] ?? 0) + bytes;
  }

  /** Writes a line a turn: the stream and its bytes. Null where only one spoke, which needs no order. */
  asText(): string | null {
    const turns = this.#kept.flatMap((bytes, turn) => (bytes === 0 ? [] : [`${this.#streams[turn] ?? ''} ${bytes}\n`]));
    return new Set(turns.map((line) => line.slice(0, 6))).size < 2 ? null : turns.join('');
  }
}

/** Reads what `asText` gave; the first line that does not fit ends it. */
export function parseOutputOrder(
  text: string,
): readonly { readonly stream: OutputStreamName; readonly bytes: number }[] {
  const turns: { stream: OutputStreamName; bytes: number }[] = [];
  for (const line of text.split('\n')) {
    const [, stream, bytes] = /^(stdout|stderr) (\d{1,15})$/u.exec(line) ?? [];
    if (stream !== 'stdout' && stream !== 'stderr') break;
    turns.push({ stream, bytes: Number(bytes) });
  }
  return turns;
}
