import { TerminalRows, type OutputRow, type OutputStreamName } from '#contract/vocabulary/screen/terminal-rows.js';

/** How many lines a running command shows (seed 002's streaming display). */
export const TAIL_LINES = 50;

/** The last rows of a running command, drawn from what was heard of it. Streaming 100 MB costs the window no more. */
export class Tail {
  readonly #limit: number;
  readonly #drawn = new TerminalRows();
  #rows: OutputRow[] = [];
  #finished = 0;
  #heardAt = 0;

  constructor(limit = TAIL_LINES) {
    this.#limit = limit;
  }

  push(stream: OutputStreamName, text: string): void {
    this.#heardAt = Date.now();
    const rows = this.#drawn.push(text, stream);
    this.#finished += rows.length;
    for (const row of rows.length > this.#limit ? rows.slice(-this.#limit) : rows) this.#rows.push(row);
    // Twice the limit before trimming, so that trimming is rare and cheap.
    if (this.#rows.length > this.#limit * 2) this.#rows = this.#rows.slice(-this.#limit);
  }

  /** When it last said something (Unix ms). */
  get heardAt(): number {
    return this.#heardAt;
  }

  /** How many rows are finished, those included that are not kept. */
  get finished(): number {
    return this.#finished;
  }

  /** Rows finished after the first `known`, as far as they can still be seen. */
  since(known: number): readonly OutputRow[] {
    const fresh = Math.min(this.#finished - known, this.#limit, this.#rows.length);
    return fresh <= 0 ? [] : this.#rows.slice(-fresh);
  }

  /** The row that goes on. */
  current(): OutputRow {
    return this.#drawn.current();
  }

  /** All rows that can be seen. */
  rows(): readonly OutputRow[] {
    const current = this.current();
    return [...this.since(0), ...(current.text === '' ? [] : [current])];
  }
}
