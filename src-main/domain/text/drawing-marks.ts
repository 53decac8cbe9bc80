import type { RedactedSpan, ReleasedText } from './redacting-stream.js';
import type { DrawingMark } from './sanitize.js';

/** Puts what rows are drawn by back into text that went through the redaction, which looks at text alone. */
export class DrawingMarks {
  /** Marks in order, without those of what was given out. */
  #marks: DrawingMark[] = [];
  #given = 0;

  readonly add = (mark: DrawingMark): void => void this.#marks.push(mark);

  /** Takes the marks of the piece that is given out next. */
  take({ length, whole, blots }: Pick<ReleasedText, 'length' | 'whole' | 'blots'>): MarkedText {
    const from = this.#given;
    this.#given += length;
    const later = this.#marks.findIndex(({ at, isNewline }) => at > this.#given || (at === this.#given && isNewline));
    const marks = later === -1 ? this.#marks : this.#marks.slice(0, later);
    this.#marks = later === -1 ? [] : this.#marks.slice(later);
    return new MarkedText(whole, blots, marks, from);
  }
}

/** A piece of text with what it is drawn by, to be had without its secrets or with them, in colour or without. */
export class MarkedText {
  readonly #whole: string;
  readonly #blots: readonly RedactedSpan[];
  readonly #marks: readonly DrawingMark[];
  readonly #from: number;

  constructor(whole: string, blots: readonly RedactedSpan[], marks: readonly DrawingMark[], from: number) {
    this.#whole = whole;
    this.#blots = blots;
    this.#marks = marks;
    this.#from = from;
  }

  /** The text as it may be shown. */
  get shown(): string {
    return this.#woven(this.#blots, true, 0, this.#whole.length);
  }

  get shownPlain(): string {
    return this.#woven(this.#blots, false, 0, this.#whole.length);
  }

  get wholePlain(): string {
    return this.#woven([], false, 0, this.#whole.length);
  }

  /** A part of one in which nothing was blotted out. */
  part(from: number, to: number): string {
    return this.#woven([], true, from, to);
  }

  #woven(blots: readonly RedactedSpan[], coloured: boolean, from: number, to: number): string {
    if (this.#marks.length === 0 && blots.length === 0) return this.#whole.slice(from, to);
    let text = '';
    let at = from;
    let next = 0;
    /** `past`: through what is blotted out from this very place on, too. */
    const goTo = (place: number, past = 0): void => {
      for (let blot = blots[next]; blot !== undefined && blot.start < place + past; blot = blots[next]) {
        if (blot.start >= at) text += this.#whole.slice(at, blot.start) + blot.mark;
        at = Math.max(at, blot.end);
        next += 1;
      }
      if (place > at) text += this.#whole.slice(at, place);
      at = Math.max(at, place);
    };
    for (const mark of this.#marks) {
      const place = mark.at - this.#from;
      // What stands behind the last character goes with it.
      if (place < from || (place >= to && to < this.#whole.length)) continue;
      goTo(place, mark.isNewline ? 1 : 0);
      const colours = mark.code.endsWith('m');
      // Within what is blotted out nothing is drawn; colours go on behind it.
      if (at > place ? colours && coloured : coloured || !colours) text += mark.code;
      if (mark.isNewline && at === place) at += 1;
    }
    goTo(to);
    return text;
  }
}
