import { isHarmless } from '../harmless.js';
import { nameStrength, type Strength } from '../names.js';
import type { Span } from '../spans.js';

/** Tables with a line of names above them: by tabs, commas, semicolons or bars. A column whose name is secret is. */
interface SecretTable {
  readonly spans: readonly Span[];
  /** Its names, with the line below them. */
  readonly head: Span;
  /** Up to where it was looked at: what stands before that begins no other. */
  readonly end: number;
}

const MAX_LINE_LENGTH = 4096;
const MAX_LOOKBACK = 2048;
const HEAD = /^["'`*_]{0,3}[\p{L}_][\p{L}\p{N} _.()#-]{0,48}["'`*_]{0,3}$/u;
/** The line below the head, or around it: `|---|:-:|`, `-----+-----`, `+----+----+`. */
const RULE = /^[\s|+:-]{0,4000}-{3}[\s|+:-]{0,4000}$/u;

/** Whether a name stands alone between what separates columns; one look, before the line is. */
export function isColumn(text: string, { start, end }: Span): boolean {
  let before = start - 1;
  while (before > start - 8 && /[ "'`*]/u.test(text.charAt(before))) before -= 1;
  let after = end;
  while (after < end + 64 && /[ "'`*\r]/u.test(text.charAt(after))) after += 1;
  const first = text.charAt(before);
  const last = text.charAt(after);
  const opens = first === '' || first === '\n';
  const ends = last === '' || last === '\n';
  return !(opens && ends) && (opens || /[\t,;|]/u.test(first)) && (ends || /[\t,;|]/u.test(last));
}

export function tableAt(text: string, name: Span): SecretTable {
  const from = text.slice(Math.max(0, name.start - MAX_LOOKBACK), name.start).lastIndexOf('\n');
  const line = from === -1 ? Math.max(0, name.start - MAX_LOOKBACK) : Math.max(0, name.start - MAX_LOOKBACK) + from + 1;
  const head = lineFrom(text, line);
  const nothing = { spans: [], head: { start: head.end, end: head.end }, end: Math.max(head.end, name.end) };
  if ((from === -1 && line > 0) || head.end - head.start > MAX_LINE_LENGTH) return nothing;
  const written = text.slice(head.start, head.end);
  const delimiter = delimiterOf(written);
  if (delimiter === null) return nothing;
  const names = cells(text, head, delimiter);
  const isTight = delimiter === ',' || delimiter === ';';
  if (names.length < 2 || !names.every((cell) => HEAD.test(text.slice(cell.start, cell.end)))) return nothing;
  if (isTight && (/^\s/u.test(written) || /[,;]\s|\s[,;]/u.test(written))) return nothing;
  if (isBelowLike(text, line, delimiter, names.length)) return nothing;
  const columns = names.map((cell) => nameStrength(text.slice(cell.start, cell.end)));
  return columns.every((strength) => strength === 'none') ? nothing : rows(text, head, delimiter, columns);
}

/** The line above has as many: then this one is none of names. */
function isBelowLike(text: string, line: number, delimiter: string, count: number): boolean {
  if (line === 0) return false;
  const from = Math.max(0, line - MAX_LINE_LENGTH);
  const above = { start: text.slice(from, line - 1).lastIndexOf('\n') + 1 + from, end: line - 1 };
  return !RULE.test(text.slice(above.start, above.end)) && cells(text, above, delimiter).length === count;
}

function rows(text: string, { start, end }: Span, delimiter: string, columns: readonly Strength[]): SecretTable {
  const spans: Span[] = [];
  let at = end + 1;
  let headEnd = at;
  let ruled = delimiter !== '|';
  // Written by a person, for people to read: what is a word there is one.
  let isWritten = false;
  while (at < text.length) {
    const line = lineFrom(text, at);
    const said = text.slice(line.start, Math.min(line.end, line.start + MAX_LINE_LENGTH));
    if (delimiter === '|' && RULE.test(said)) {
      ruled = true;
      isWritten = !said.includes('+');
      at = line.end + 1;
      if (spans.length === 0) headEnd = at;
      continue;
    }
    const row = ruled && line.end - line.start <= MAX_LINE_LENGTH ? cells(text, line, delimiter) : [];
    // The last line may be cut off.
    const isWhole = row.length === columns.length || (line.end === text.length && row.length < columns.length);
    if (!isWhole) break;
    for (const [column, cell] of row.entries()) {
      const strength = columns[column] ?? 'none';
      const value = text.slice(cell.start, cell.end);
      if (strength === 'none' || isHarmless(value, { strength, quoted: strength === 'strong' })) continue;
      if (isWritten && !isRandom(value)) continue;
      spans.push(cell);
    }
    at = line.end + 1;
  }
  return { spans, head: { start, end: headEnd }, end: Math.min(at, text.length) };
}

/** Whether a value is one word with figures or signs in it, as no word of a sentence is. */
const isRandom = (value: string): boolean =>
  /^\S{6,}$/u.test(value) && /[A-Za-z]/u.test(value) && /[\d!@#$%^&*+~=]/u.test(value) && !/^[\w.-]+\(/u.test(value);

const delimiterOf = (line: string): string | null => ['\t', '|', ',', ';'].find((each) => line.includes(each)) ?? null;

function lineFrom(text: string, at: number): Span {
  const end = text.indexOf('\n', at);
  const stop = end === -1 ? text.length : end;
  return { start: at, end: stop };
}

/**
 * Splits a line into cells without blanks around them, and without their quotes. Bars at both ends of a line are its
 * frame.
 */
function cells(text: string, line: Span, delimiter: string): readonly Span[] {
  let { start, end } = line;
  while (end > start && /\s/u.test(text.charAt(end - 1)) && text.charAt(end - 1) !== delimiter) end -= 1;
  if (delimiter === '|') {
    while (start < end && text.charAt(start) === ' ') start += 1;
    if (text.charAt(start) === '|') start += 1;
    if (end > start && text.charAt(end - 1) === '|') end -= 1;
  }
  const found: Span[] = [];
  for (let at = start; at <= end;) {
    const cell = cellAt(text, at, end, delimiter);
    found.push(cell.span);
    at = cell.after + 1;
  }
  return found;
}

function cellAt(text: string, from: number, to: number, delimiter: string) {
  let start = from;
  while (start < to && text.charAt(start) === ' ') start += 1;
  if (text.charAt(start) === '"') {
    // A doubled quote is one that belongs to it.
    const close = start + (/^"(?:[^"]|"")*(?=")/u.exec(text.slice(start, to))?.[0].length ?? 0);
    const next = close === start ? null : nextOf(text, close + 1, to, delimiter);
    if (next !== null && text.slice(close + 1, next).trim() === '')
      return { span: { start: start + 1, end: close }, after: next };
    // The text was cut off within the quotes.
    if (close === start && to === text.length) return { span: { start: start + 1, end: to }, after: to };
  }
  const after = nextOf(text, start, to, delimiter);
  const written = text.slice(start, after);
  const value = written.trim().replace(/^`([^`]*)`$/u, '$1');
  const first = start + Math.max(0, written.indexOf(value));
  return { span: { start: first, end: first + value.length }, after };
}

function nextOf(text: string, from: number, to: number, delimiter: string): number {
  const next = text.slice(from, to).indexOf(delimiter);
  return next === -1 ? to : from + next;
}
