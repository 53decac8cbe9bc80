import { lineStart, quotedEnd } from './shapes.js';

/**
 * Where a word ends that is written as shells and their like have it: pieces in quotes and without, joined, `$'…'`, `${X:-…}`, and a
 * line that goes on in the next.
 */
interface QuotedWord {
  readonly end: number;
  /** The word's text, without its quotes. */
  readonly says: string;
}

const MAX_WORD_LENGTH = 16_384;
const CONTINUED = /(?:\\\r?\n|\\\\\\n)[^\S\r\n]{0,64}/uy;
/** Characters that end a word that stands in no quotes, in every notation. */
const ENDS = /[\s`,;&|)}\]<>]/u;
/** A literal `\n` or quote of a string that the word stands in. */
const ENDS_STRING = /\\{1,15}(?:[nrt]|["'])/uy;
const OPENS_DOLLAR = /\$(?=["'])/uy;
const EXPANSION = /\$\{[^}\n]{0,2000}\}/uy;

const matches = (pattern: RegExp, text: string, at: number): number | null => {
  pattern.lastIndex = at;
  return pattern.test(text) ? pattern.lastIndex : null;
};

/** Past the ends of lines that don’t end the command. */
export function skipContinuation(text: string, at: number): number {
  let next = at;
  for (let to = matches(CONTINUED, text, next); to !== null; to = matches(CONTINUED, text, next)) next = to;
  return next;
}

/** Reads the word at `at`; null where nothing of a word is there. */
export function readWord(text: string, at: number): QuotedWord | null {
  const outer = quoteAround(text, at);
  const limit = Math.min(text.length, at + MAX_WORD_LENGTH);
  const says: string[] = [];
  let end = at;
  while (end < limit) {
    const char = text.charAt(end);
    const quote = matches(OPENS_DOLLAR, text, end) ?? end;
    const piece = isQuote(text.charAt(quote)) ? joinedPiece(text, quote, outer, end === at) : null;
    if (piece !== null) {
      says.push(text.slice(piece.start, piece.end));
      end = piece.after;
      continue;
    }
    if (isQuote(char)) break;
    const continued = matches(/\\\r?\n/uy, text, end) ?? matches(EXPANSION, text, end);
    if (continued !== null) {
      if (char === '$') says.push(text.slice(end, continued));
      end = continued;
      continue;
    }
    if (ENDS.test(char) || matches(ENDS_STRING, text, end) !== null) break;
    says.push(char);
    end += 1;
  }
  return end === at ? null : { end, says: says.join('') };
}

const isQuote = (char: string): boolean => char === '"' || char === "'";

/** A piece in quotes; null where the quote closes what is around the word, or opens what is no part of it. */
function joinedPiece(text: string, at: number, outer: string, isFirst: boolean) {
  const quote = text.charAt(at);
  if (quote === outer) return null;
  const piece = quotedEnd(text, at, MAX_WORD_LENGTH);
  // At the end of the text it was cut off.
  if (piece === null || (piece.after === piece.end && piece.end < text.length)) return null;
  // What begins so is the rest of a list, and its quote closed something.
  return !isFirst && /^\s*[,:\]}]/u.test(text.slice(piece.start, piece.start + 8)) ? null : piece;
}

const MAX_LOOKBACK = 1024;

/** The quotes that a place of a line stands in: none, or which. */
function quoteAround(text: string, at: number): string {
  let quote = '';
  for (let next = Math.max(lineStart(text, at), at - MAX_LOOKBACK); next < at; next += 1) {
    const char = text.charAt(next);
    if (char === '\\') next += 1;
    else if (quote === '' && isQuote(char)) quote = char === "'" && /\w/u.test(text.charAt(next - 1)) ? '' : char;
    else if (char === quote) quote = '';
  }
  return quote;
}

const DEFAULT = /\$\{\w{1,128}(?::?[-=+])([^{}\n]{1,2000})(\}|$)/gu;

interface ExpansionDefault {
  readonly start: number;
  readonly value: string;
}

/** Yields the default in `${X:-…}`, for when there is no value. */
export function* yieldDefaults(text: string): Generator<ExpansionDefault> {
  if (!text.includes('${')) return;
  for (const { index, 0: whole, 1: value = '', 2: closing = '' } of text.matchAll(DEFAULT)) {
    const quotes = /^(["']).*\1$/u.test(value) ? 1 : 0;
    yield {
      start: index + whole.length - closing.length - value.length + quotes,
      value: value.slice(quotes, value.length - quotes),
    };
  }
}
