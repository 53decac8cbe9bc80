/** A place in a text that is to be blotted out. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

export const REDACTED = '[redacted]';

/** Sorts spans and merges those that touch or overlap: each is one place. */
export function mergeSpans(spans: readonly Span[]): readonly Span[] {
  const sorted = spans.filter(({ start, end }) => end > start).sort((a, b) => a.start - b.start || b.end - a.end);
  const merged: { start: number; end: number }[] = [];
  for (const { start, end } of sorted) {
    const last = merged.at(-1);
    if (last !== undefined && start <= last.end) last.end = Math.max(last.end, end);
    else merged.push({ start, end });
  }
  return merged;
}

/** The text from `from` on with the mark in the place of each span; of a span that began before it, its rest. */
export function redactSpans(text: string, spans: readonly Span[], from = 0, to = text.length): string {
  const parts: string[] = [];
  const marks = new MarkBuilder(text);
  let at = from;
  for (const { start, end } of spans) {
    if (end <= at || start >= to) continue;
    const mark = start < at ? REDACTED : marks.build(start, end);
    parts.push(text.slice(at, Math.max(start, at)), mark);
    at = end;
  }
  if (at < to) parts.push(text.slice(at, to));
  return parts.join('');
}

/** Characters that JSON has between its strings: of numbers, brackets, `true`, and line breaks of JSON in a string. */
const BETWEEN_STRINGS = /[\s\d.,:[\]{}+\\Etruefalsn-]/u;
const OPENS_ITEM = /[[,:](?:\s|\\{1,15}[nrt])*$/u;
const ENDS_ITEM = /^(?:\s|\\{1,15}[nrt])*(?:[,\]}]|$)/u;

/**
 * Builds the marks for spans of a text, from its beginning to its end. In the place of a number of JSON a mark stands in
 * quotes, escaped as often as those of the string before it: what was JSON stays it.
 */
export class MarkBuilder {
  readonly #text: string;
  /** Up to here it is known which quote a string ended with last. */
  #known = 0;
  #quote: string | null = null;

  constructor(text: string) {
    this.#text = text;
  }

  build(start: number, end: number): string {
    const text = this.#text;
    if (end - start > 64 || !/^-?\d[\d.eE+-]*$/u.test(text.slice(start, end))) return REDACTED;
    if (!ENDS_ITEM.test(text.slice(end, end + 512)) || !OPENS_ITEM.test(text.slice(Math.max(0, start - 512), start)))
      return REDACTED;
    const quote = this.#lastQuote(start);
    return quote === null ? REDACTED : `${quote}${REDACTED}${quote}`;
  }

  #lastQuote(before: number): string | null {
    let at = before - 1;
    while (at >= this.#known && BETWEEN_STRINGS.test(this.#text.charAt(at))) at -= 1;
    if (at >= this.#known) this.#quote = this.#text.charAt(at) === '"' ? escapedQuote(this.#text, at) : null;
    this.#known = Math.max(this.#known, before);
    return this.#quote;
  }
}

/**
 * How many of the backslashes before a quote escape it: each nesting doubles those of what is in the string, and adds
 * one for its quote.
 */
export const escapesOfQuote = (backslashes: number): number => ((backslashes + 1) & -(backslashes + 1)) - 1;

/** The quote with the backslashes that escape it. */
function escapedQuote(text: string, at: number): string {
  let first = at;
  while (text.charAt(first - 1) === '\\') first -= 1;
  return `${'\\'.repeat(escapesOfQuote(at - first))}"`;
}

/**
 * Visits each match of a pattern, in order. `matchAll` makes a pattern of its own each time, and what that was compiled
 * to is forgotten with it; this one stays compiled.
 */
export function eachMatch(text: string, pattern: RegExp, take: (match: RegExpExecArray) => void): void {
  if (!pattern.global) throw new TypeError('This pattern would find its first match for ever.');
  for (let from = 0; ;) {
    // Set anew each time: who takes a match may use the pattern too.
    pattern.lastIndex = from;
    const match = pattern.exec(text);
    if (match === null) return;
    from = pattern.lastIndex + (match[0] === '' ? 1 : 0);
    take(match);
  }
}

/** Runs a pattern over the text and gives its groups `at` (all of the match, unless named) as spans. */
export function spansOf(text: string, pattern: RegExp): Span[] {
  const spans: Span[] = [];
  eachMatch(text, pattern, (match) => {
    // What stands before the secret is the first group, what is the secret the second; one without groups is all secret.
    const head = match[1]?.length ?? 0;
    const start = match.index + head;
    const length = match[2]?.length ?? match[0].length - head;
    if (!text.startsWith(REDACTED, start)) spans.push({ start, end: start + length });
  });
  return spans;
}
