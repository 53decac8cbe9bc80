import { TerminalRows } from '#contract/vocabulary/screen/terminal-rows.js';
import { createHeadTail, type HeadTail } from '../../domain/text/head-tail.js';

// oxlint-disable-next-line no-control-regex -- what rows are drawn by
const DRAWS = /[\r\u{1b}]/u;

/** The caller's copy of one stream: its rows as they were drawn, and of those the beginning and the end. */
export class DrawnEnds {
  readonly ends: HeadTail;
  readonly #rows: TerminalRows;

  constructor(limit: number, rows = new TerminalRows(), ends = createHeadTail(limit)) {
    this.#limit = limit;
    this.#rows = rows;
    this.ends = ends;
  }

  readonly #limit: number;

  get drawnOver(): number {
    return this.#rows.drawnOver;
  }

  push(text: string): void {
    // Whole lines in which nothing is drawn over are themselves: most of what is ever written.
    const whole = this.#rows.atRowStart && !DRAWS.test(text) ? text.lastIndexOf('\n') + 1 : 0;
    if (whole > 0) this.ends.push(text.slice(0, whole));
    this.#keep(this.#rows.push(whole === 0 ? text : text.slice(whole)).map((row) => row.text));
  }

  /** Adds, after the last push, the row that has no end. */
  finish(): void {
    this.#keep(this.#rows.end().map((row) => row.text));
  }

  copy(): DrawnEnds {
    return new DrawnEnds(this.#limit, this.#rows.copy(), this.ends.copy());
  }

  #keep(rows: readonly string[]): void {
    if (rows.length > 0) this.ends.push(rows.join(''));
  }
}
