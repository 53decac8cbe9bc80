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
  let at = from;
  for (const { start, end } of spans) {
    if (end <= at || start >= to) continue;
    const mark = start < at ? REDACTED : buildMark(text, start, end);
    parts.push(text.slice(at, Math.max(start, at)), mark);
    at = end;
  }
  if (at < to) parts.push(text.slice(at, to));
  return parts.join('');
}

/**
 * Builds the mark for a span. In the place of a number of JSON it stands in quotes, escaped as often as those around
 * it: what was JSON stays it.
 */
export function buildMark(text: string, start: number, end: number): string {
  if (end - start > 64 || !/^-?\d[\d.eE+-]*$/u.test(text.slice(start, end))) return REDACTED;
  if (!/^\s*(?:[,\]}]|$)/u.test(text.slice(end, end + 512))) return REDACTED;
  const before = text.slice(Math.max(0, start - 1024), start);
  const quote = /(\\{0,15}")\s{0,8}:\s{0,8}$/u.exec(before)?.[1] ?? inArray(before);
  return quote === null ? REDACTED : `${quote}${REDACTED}${quote}`;
}

function inArray(before: string): string | null {
  if (!/[[,]\s*$/u.test(before) || before.lastIndexOf('[') < 0) return null;
  // Of the name that it is the array of.
  return [...before.matchAll(/(?<!\\)(\\{0,15}")\s{0,64}:\s{0,64}\[/gu)].at(-1)?.[1] ?? null;
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
