import { findOpenTable } from './secrets/named-values.js';
import { MarkBuilder, REDACTED, type Span } from './secrets/spans.js';

export type FindSecrets = (text: string) => Promise<readonly Span[]>;

/** So much of what was given, in order: its text as it may be shown. */
export interface ReleasedText {
  /** How many characters of what was pushed this stands for. */
  readonly length: number;
  readonly text: string;
  /** The same with what was blotted out. */
  readonly whole: string;
  /** How many places begin in it. */
  readonly count: number;
  /** Whether nothing of it was blotted out. */
  readonly clean: boolean;
  /**
   * The spans of `whole` that were blotted out: each has the mark in its text, but the rest of one that has it already.
   */
  readonly blots: readonly RedactedSpan[];
}

export interface RedactedSpan extends Span {
  readonly mark: string;
}

/** How much of what went before is re-checked with what comes: a name and its value may be lines apart. */
const CONTEXT = 4096;
/** A line without an end is given out in parts. */
const MAX_HELD_LENGTH = 8192;
const MAX_TAIL_LENGTH = 16_384;
const KEY_LINES = /(?<![^\n])(?:[A-Za-z0-9+/=]{4,80}\r?\n){1,400}(?:[A-Za-z0-9+/=]{1,80}\r?\n?)?$/u;
const TWO_KEY_LINES = /(?<![^\n])(?:[A-Za-z0-9+/=]{40,80}\r?\n){2,400}(?:[A-Za-z0-9+/=]{1,80}\r?\n?)?$/u;
/** The last of either. */
const LINE_OF_KEY = /^[A-Za-z0-9+/=]{1,80}\r?\n?$/u;
/** A secret that goes on and on is remembered by its beginning. */
const MAX_OPEN_LENGTH = 32_768;
/** Texts that could follow: if something would be found with one of them, what is there may be its beginning. */
const LETTERS = 'a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8s9T0';
const CONTINUATIONS = [
  LETTERS,
  'A1B2C3D4E5F6G7H8I9J0',
  'A1B2C3D4E5F6G7H8I9J0A1B2C3D4E5F6G7H8I9J0ABCDE',
  '0a1b2c3d4e5f60718293a4b5c6d7e8f901234567',
  '@a.b',
  `${LETTERS}@a.b`,
  '"]',
  "']",
  '")',
  "')",
  ']',
  ')',
  ' | sudo -S x',
];
/** Secrets of an exact length. */
const EXACT_LENGTH_KEY = /(?:AKIA|ASIA|AROA|AIDA)[A-Z0-9]{0,16}$/u;

/**
 * Blots out secrets in a text that comes in pieces. Only whole lines are given out, since a piece may end in the middle
 * of a secret; what went before is re-checked with each piece. Where nothing comes for a while, `idle` gives out
 * what can't be the beginning of one.
 */
export class RedactingStream {
  readonly #find: FindSecrets;
  /** The text that was given out lately, and the text that is held. */
  #text = '';
  #given = 0;
  /** Up to here a place that began before `#given` has its mark. */
  #markedTo = 0;

  constructor(find: FindSecrets) {
    this.#find = find;
  }

  get holds(): boolean {
    return this.#given < this.#text.length;
  }

  async push(piece: string): Promise<ReleasedText> {
    this.#text += piece;
    const spans = await this.#find(this.#text);
    return this.#release(this.#endOfLines(), spans);
  }

  async end(): Promise<ReleasedText> {
    return this.#release(this.#text.length, await this.#find(this.#text));
  }

  async idle(): Promise<ReleasedText> {
    const text = this.#text;
    const spans = await this.#find(text);
    const line = Math.max(text.lastIndexOf('\n'), text.lastIndexOf('\r')) + 1;
    let safe = Math.max(line, EXACT_LENGTH_KEY.exec(text.slice(-64)) === null ? text.length : text.length - 20);
    for (const guess of ['', ...CONTINUATIONS]) {
      const found = guess === '' ? spans : await this.#find(text + guess);
      const isNew = (start: number): boolean => !spans.some((span) => span.start === start);
      const open = found.find(
        ({ start, end }) => start >= line && start < text.length && (end >= text.length || isNew(start)),
      );
      safe = Math.min(safe, open?.start ?? text.length);
    }
    return this.#release(Math.max(this.#given, Math.min(this.#tailOfKey(text.length, TWO_KEY_LINES), safe)), spans);
  }

  #endOfLines(): number {
    const from = Math.max(0, this.#text.length - MAX_HELD_LENGTH);
    const held = this.#text.slice(from);
    const line = Math.max(held.lastIndexOf('\n'), held.lastIndexOf('\r')) + 1;
    return Math.max(this.#tailOfKey(from + line, KEY_LINES), this.#given);
  }

  /** Lines of base64 may be a private key whose head is not there; only its end would tell. */
  #tailOfKey(to: number, like: RegExp): number {
    const from = Math.max(this.#given, to - MAX_TAIL_LENGTH);
    const lines = this.#text.slice(from, to);
    if (!LINE_OF_KEY.test(lines.slice(lines.lastIndexOf('\n', lines.length - 2) + 1))) return to;
    return from + lines.length - (like.exec(lines)?.[0].length ?? 0);
  }

  #release(to: number, spans: readonly Span[]): ReleasedText {
    const from = this.#given;
    // A place that was given out as far as it went goes on: it has its mark.
    const known = spans.filter(({ start }) => start < from && this.#markedTo > start);
    const fresh = spans.filter(
      ({ start, end }) => end > from && start < to && !(start < from && this.#markedTo > start),
    );
    let at = from;
    for (const { end } of known) at = Math.max(at, Math.min(end, to));
    const blots: RedactedSpan[] = at > from ? [{ start: 0, end: at - from, mark: '' }] : [];
    const marks = new MarkBuilder(this.#text);
    for (const { start, end } of fresh) {
      const first = Math.max(start, at);
      if (end <= at) continue;
      at = Math.min(end, to);
      const mark = first === start && at === end ? marks.build(start, end) : REDACTED;
      blots.push({ start: first - from, end: at - from, mark });
    }
    const whole = this.#text.slice(from, to);
    const text = textWithout(whole, blots);
    this.#given = to;
    for (const { start, end } of spans) if (start < to) this.#markedTo = Math.max(this.#markedTo, Math.min(end, to));
    this.#forget(spans);
    return { length: to - from, text, whole, count: fresh.length, clean: blots.length === 0, blots };
  }

  /** Keeps what the next piece must be looked at with. */
  #forget(spans: readonly Span[]): void {
    let from = this.#given - CONTEXT;
    if (from <= 0) return;
    const open = spans.find(({ start, end }) => start < from && end > from);
    const line = this.#text.indexOf('\n', from) + 1;
    // Only rows with a secret in them go on as rows of a table that is known to have some.
    const isRow = line > 0 && line <= this.#given && (open?.end ?? 0) < line && spans.some(({ end }) => end >= from);
    let beginning = (isRow ? findOpenTable(this.#text, line) : null) ?? '';
    if (beginning !== '') from = line;
    else if (open !== undefined) {
      const first = this.#text.slice(open.start, open.start + 128);
      if (this.#given - open.start > MAX_OPEN_LENGTH) beginning = `${first.split('\n', 1)[0] ?? ''}\n`;
      else from = open.start;
    }
    if (beginning === '') from = Math.max(this.#text.lastIndexOf('\n', from) + 1, from - 512);
    this.#text = beginning + this.#text.slice(from);
    this.#given += beginning.length - from;
    this.#markedTo = Math.max(0, this.#markedTo + beginning.length - from);
  }
}

function textWithout(whole: string, blots: readonly RedactedSpan[]): string {
  if (blots.length === 0) return whole;
  let text = '';
  let at = 0;
  for (const { start, end, mark } of blots) {
    text += whole.slice(at, start) + mark;
    at = end;
  }
  return text + whole.slice(at);
}
