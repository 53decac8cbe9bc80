import { escapesOfQuote, type Span } from './spans.js';

/** Where a value ends in the notations that have more than words: quotes, arrays, YAML's blocks and lists. */
interface QuotedText extends Span {
  /** Past its closing quote. */
  readonly after: number;
}

const OPENING = /(?:[bBrRfFuU]{1,2})?(\\{0,15})(["'`])/uy;

/**
 * Finds the end of quoted text. A quote that is escaped so many times is closed by one escaped as often: JSON in JSON.
 * A quote that is never closed was cut off, and reaches to the end of its line.
 */
export function quotedEnd(text: string, at: number, longest: number): QuotedText | null {
  OPENING.lastIndex = at;
  const opening = OPENING.exec(text);
  if (opening === null) return null;
  const escapes = opening[1]?.length ?? 0;
  const quote = opening[2] ?? '"';
  const start = OPENING.lastIndex;
  const token = text.slice(start - 1 - escapes, start);
  if (quote !== '`' && text.startsWith(token + token, start))
    return thriceQuoted(text, start - token.length, token, longest);
  const limit = Math.min(text.length, start + longest);
  let backslashes = 0;
  for (let end = start; end < limit; end += 1) {
    const char = text.charAt(end);
    if (char === '\n' && quote !== '`') return { start, end, after: end };
    if (char === quote && (backslashes === escapes || escapesOfQuote(backslashes) === escapes))
      return { start, end: end - escapes, after: end + 1 };
    // Fewer escapes than it was opened with: the string around it ends here, and this one was cut off.
    if (char === quote && escapesOfQuote(backslashes) < escapes)
      return { start, end: end - backslashes, after: end - backslashes };
    backslashes = char === '\\' ? backslashes + 1 : 0;
  }
  return { start, end: limit, after: limit };
}

/** `"""…"""`, over lines. One that is not closed was cut off. */
function thriceQuoted(text: string, at: number, token: string, longest: number): QuotedText {
  const start = at + 3 * token.length;
  const found = text.slice(start, start + longest).indexOf(token.repeat(3));
  if (found !== -1) return { start, end: start + found, after: start + found + 3 * token.length };
  // The string around it ends with its line, and with a quote of its own.
  const end = token.length === 1 ? longest : text.slice(start, start + longest).search(/(?<!\\)["'\n]/u);
  const cut = Math.min(text.length, start + (end === -1 ? longest : end));
  return { start, end: cut, after: cut };
}

const CLOSES_STRING = /(\\{0,15})(["'`])(?=\s{0,16}(?:[,\]})]|\\{1,15}[nrt]|$))/muy;
const BEGINS_STRING = /(?:^|[\s[{(,:=])(\\{0,15})$/u;
const MAX_STRING_LENGTH = 1024;

/**
 * Whether the quote there is none of a value, but closes the string that the name stands in: of `"Enter password:",`. It
 * ends an item, and what the last quote before the name follows is what a string begins after.
 */
export function closesString(text: string, at: number, name: Span): boolean {
  CLOSES_STRING.lastIndex = at;
  const [, escapes, quote = ''] = CLOSES_STRING.exec(text) ?? [];
  if (escapes === undefined || text.slice(name.end, at).includes(quote)) return false;
  const before = text.slice(Math.max(0, name.start - MAX_STRING_LENGTH), name.start);
  const begin = before.lastIndexOf(quote);
  return begin !== -1 && BEGINS_STRING.exec(before.slice(0, begin))?.[1] === escapes;
}

const OPENS_JSON = /[[{](?=(?:\s|\\{1,15}[nrt]){0,256}(?:\\{0,15}"|[[\]{}\d-]|true|false|null))/uy;
/** A line break of a string that stands in another. */
const ESCAPED_BREAK = /\\{1,15}[nrt]/uy;

/** The items of `["a", "b"]`, `[a, b]`, and of what of JSON stands in one; null where it is no such array. */
export function arrayItems(text: string, at: number, longest: number): readonly Span[] | null {
  const limit = Math.min(text.length, at + longest);
  const items: Span[] = [];
  let depth = 1;
  for (let next = at + 1; next < limit;) {
    const char = text.charAt(next);
    OPENS_JSON.lastIndex = next;
    const opens = OPENS_JSON.test(text);
    const closes = char === ']' || (char === '}' && depth > 1);
    depth += Number(opens) - Number(closes);
    if (depth === 0) return items;
    if (opens || closes || /[\s,]/u.test(char) || (depth > 1 && char === ':')) {
      next += 1;
      continue;
    }
    ESCAPED_BREAK.lastIndex = next;
    if (char === '\\' && ESCAPED_BREAK.test(text)) {
      next = ESCAPED_BREAK.lastIndex;
      continue;
    }
    const quoted = quotedEnd(text, next, longest);
    if (quoted !== null) {
      if (depth === 1 || !/^\s{0,16}:/u.test(text.slice(quoted.after, quoted.after + 17)))
        items.push({ start: quoted.start, end: quoted.end });
      next = Math.max(quoted.after, next + 1);
      continue;
    }
    const bare = /^(?:(?!\\{1,15}[nrt])[^\s,\]"'{}()[\]]){1,4096}/u.exec(text.slice(next, next + 4096))?.[0];
    if (bare === undefined) return null;
    if (!/^-?\d{1,6}(?:\.\d+)?$/u.test(bare)) items.push({ start: next, end: next + bare.length });
    next += bare.length;
  }
  return items;
}

/** The lines below a name that are indented deeper than it: a block of YAML. */
export function blockBelow(text: string, at: number, name: number): readonly Span[] {
  const indent = indentOf(text, name);
  const first = text.indexOf('\n', at) + 1;
  let end = first;
  for (let line = first; line > 0 && line < text.length && line - first < MAX_BLOCK_LENGTH;) {
    const next = text.indexOf('\n', line);
    const stop = next === -1 ? text.length : next;
    const blank = text.slice(line, Math.min(stop, line + 200)).trim() === '';
    if (!blank && indentOf(text, line) <= indent) break;
    if (!blank) end = stop;
    if (next === -1) break;
    line = next + 1;
  }
  const start = first + Math.max(0, text.slice(first, end).search(/\S/u));
  return end > start ? [{ start, end }] : [];
}

/** `tokens:` with `- a` and `- b` below it. */
export function listBelow(text: string, at: number, name: number): readonly Span[] {
  const indent = indentOf(text, name);
  const items: Span[] = [];
  const first = text.indexOf('\n', at) + 1;
  for (let line = first; line > 0 && line < text.length && line - first < MAX_BLOCK_LENGTH;) {
    const next = text.indexOf('\n', line);
    const stop = next === -1 ? text.length : next;
    const item = /^(\s*-\s+["']?)([^"'\r\n{}[\]:]{1,4096})/u.exec(text.slice(line, Math.min(stop, line + 4200)));
    if (item === null || indentOf(text, line) < indent) break;
    const start = line + (item[1]?.length ?? 0);
    items.push({ start, end: start + (item[2] ?? '').trimEnd().length });
    if (next === -1) break;
    line = next + 1;
  }
  return items;
}

const MAX_BLOCK_LENGTH = 65_536;

function indentOf(text: string, at: number): number {
  const line = lineStart(text, at);
  const isDeeper = (to: number): boolean =>
    /[ \t]/u.test(text.charAt(to)) || (to < at && text.charAt(to) === '-' && text.charAt(to + 1) === ' ');
  let indent = 0;
  while (isDeeper(line + indent)) indent += 1;
  return indent;
}

/**
 * Finds where a line starts; of a line of any length only its last part: what is indented that far is nobody's
 * notation.
 */
export function lineStart(text: string, at: number): number {
  const from = Math.max(0, at - 256);
  const found = text.slice(from, at).lastIndexOf('\n');
  return found === -1 ? from : from + found + 1;
}
