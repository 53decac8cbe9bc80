export type OutputStream = 'stdout' | 'stderr';

/** A piece of one line, from one stream. A line can have several when the streams take turns within it. */
export interface TailPiece {
  readonly stream: OutputStream;
  readonly text: string;
}

export interface Tail {
  /** Pieces that were added since the last take, oldest first; each piece is at most a line. */
  readonly pieces: readonly TailPiece[];
  /** Lines that came and went between two takes, and were never shown. */
  readonly skipped: number;
}

/** How many lines a running command shows (seed 002's streaming display). */
export const TAIL_LINES = 50;
/** A longer line is cut in the live view: what follows is in the stored output. */
export const MAX_LINE = 2000;

/**
 * What a running command said since the screen was last drawn, no more of it than can be seen. Streaming 100 MB costs
 * the window only the last fifty lines of each frame.
 */
export class TailBuffer {
  readonly #limit: number;
  #pieces: TailPiece[] = [];
  #lineBreaks = 0;
  #skipped = 0;
  /** Characters already in the unfinished line, and whether it was cut. */
  #lineLength = 0;
  #cut = false;

  constructor(limit = TAIL_LINES) {
    this.#limit = limit;
  }

  push(stream: OutputStream, text: string): void {
    let from = this.#skipTo(text);
    while (from < text.length) {
      const at = text.indexOf('\n', from);
      const end = at === -1 ? text.length : at;
      this.#add(stream, text.slice(from, end).replace(/\r$/, ''));
      if (at !== -1) this.#endLine(stream);
      from = end + 1;
    }
  }

  get empty(): boolean {
    return this.#pieces.length === 0;
  }

  /** What is there now, without taking it. No more than the limit of lines. */
  pieces(): readonly TailPiece[] {
    if (this.#lineBreaks > this.#limit) this.#trim();
    return [...this.#pieces];
  }

  take(): Tail {
    if (this.#lineBreaks > this.#limit) this.#trim();
    const tail = { pieces: this.#pieces, skipped: this.#skipped };
    this.#pieces = [];
    this.#lineBreaks = 0;
    this.#skipped = 0;
    return tail;
  }

  /** Where the lines begin that can still be seen; what lies before them, here and in what is held, is dropped unread. */
  #skipTo(text: string): number {
    let at = text.length;
    for (let lines = 0; lines <= this.#limit; lines += 1) {
      at = at === 0 ? -1 : text.lastIndexOf('\n', at - 1);
      if (at === -1) return 0;
    }
    this.#skipped += this.#lineBreaks;
    for (let seen = text.indexOf('\n'); seen !== -1 && seen <= at; seen = text.indexOf('\n', seen + 1))
      this.#skipped += 1;
    this.#pieces = [];
    this.#lineBreaks = 0;
    this.#lineLength = 0;
    this.#cut = false;
    return at + 1;
  }

  #add(stream: OutputStream, text: string): void {
    if (text === '' || this.#cut) return;
    const room = MAX_LINE - this.#lineLength;
    const shown = text.length <= room ? text : text.slice(0, room);
    this.#lineLength += shown.length;
    if (shown !== '') this.#pieces.push({ stream, text: shown });
    if (shown.length < text.length) {
      this.#cut = true;
      this.#pieces.push({ stream, text: ' … (long line)' });
    }
  }

  #endLine(stream: OutputStream): void {
    this.#pieces.push({ stream, text: '\n' });
    this.#lineLength = 0;
    this.#cut = false;
    this.#lineBreaks += 1;
    // Twice the limit before trimming, so that trimming is rare and cheap.
    if (this.#lineBreaks > this.#limit * 2) this.#trim();
  }

  #trim(): void {
    let toDrop = this.#lineBreaks - this.#limit;
    let at = 0;
    this.#skipped += toDrop;
    this.#lineBreaks -= toDrop;
    while (toDrop > 0) {
      if (this.#pieces[at]?.text === '\n') toDrop -= 1;
      at += 1;
    }
    this.#pieces = this.#pieces.slice(at);
  }
}
