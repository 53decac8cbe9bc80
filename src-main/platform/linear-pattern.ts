import { createRequire } from 'node:module';
import type * as Re2 from 're2js';

const require = createRequire(import.meta.url);

/** A pattern of a schema, as the validator uses it. */
interface Pattern {
  test(text: string): boolean;
  /** The validator tells patterns apart by this. */
  toString(): string;
  /** Whether its time grows with the text alone. Others backtrack. */
  readonly isLinear: boolean;
}

/**
 * Creates a pattern that means what JavaScript says of it, with the flag `u`. It is matched in linear time where its
 * words allow that: without a look ahead or behind, and without a reference back. Throws where it is none.
 */
export function createPattern(source: string): Pattern {
  const own = new RegExp(source, 'u');
  // Most are never asked, and compiling takes longer than matching.
  let compiled: Re2.RE2JS | null | undefined;
  const findLinear = (): Re2.RE2JS | null => (compiled === undefined ? (compiled = compileLinear(source)) : compiled);
  return {
    test: (text) => findLinear()?.test(text) ?? own.test(text),
    toString: () => own.toString(),
    get isLinear() {
      return findLinear() !== null;
    },
  };
}

function compileLinear(source: string): Re2.RE2JS | null {
  const translated = translate(source);
  if (translated === null) return null;
  // Loading the engine takes longer than a start has.
  const { RE2JS: engine } = require('re2js') as typeof Re2;
  try {
    return engine.compile(translated);
  } catch {
    return null;
  }
}

/** The parts of a pattern that is known to be well formed: an escape, the beginning of a group, or one character. */
const PART = /\\(?:u\{[\da-f]+\}|u[\da-f]{4}|x[\da-f]{2}|c[a-z]|p\{[^}]*\}|.)|\(\?(?:<[=!]|[^a-z]|[a-z-]+)|./gisu;

/** White space and the ends of a line, as JavaScript counts them. */
const SPACES =
  '\\t\\n\\v\\f\\r \\x{A0}\\x{1680}\\x{2000}-\\x{200A}\\x{2028}\\x{2029}\\x{202F}\\x{205F}\\x{3000}\\x{FEFF}';
const NO_LINE_END = '[^\\n\\r\\x{2028}\\x{2029}]';

/** Writes the pattern in RE2's words; null where they have none for a part of it. */
function translate(source: string): string | null {
  let written = '';
  let inClass = false;
  for (const { 0: part, index } of source.matchAll(PART)) {
    const opens: boolean = part === '[' && !inClass;
    // An empty class RE2 reads otherwise.
    if (opens && /^\[\^?\]/u.test(source.slice(index))) return null;
    const next = part.startsWith('\\') ? translateEscape(part, inClass) : translatePlain(part, inClass);
    if (next === null) return null;
    written += next;
    inClass = opens || (inClass && part !== ']');
  }
  return written;
}

function translatePlain(part: string, inClass: boolean): string | null {
  if (inClass) return part === '[' ? '\\[' : part;
  if (part === '.') return NO_LINE_END;
  return !part.startsWith('(?') || part === '(?:' || part === '(?<' ? part : null;
}

function translateEscape(part: string, inClass: boolean): string | null {
  const [, name = '', rest = ''] = /^\\(.)(.*)$/su.exec(part) ?? [];
  switch (name) {
    case 's':
      return inClass ? SPACES : `[${SPACES}]`;
    case 'S':
      return inClass ? null : `[^${SPACES}]`;
    case 'b':
      return inClass ? '\\x{8}' : part;
    case 'c':
      return toCodePoint((rest.codePointAt(0) ?? 0) % 32);
    case '0':
      return toCodePoint(0);
    case 'u':
    case 'x':
      return toCodePoint(Number.parseInt(rest.replace(/^\{|\}$/gu, ''), 16));
    case 'p':
    case 'P':
      return /^\{[A-Z][a-z]?\}$/u.test(rest) ? part : null;
    case '/':
      return '/';
    default:
      return /^[1-9k]$/u.test(name) ? null : part;
  }
}

/** Half of a pair has no words: both together are one character. */
const toCodePoint = (code: number): string | null =>
  code >= 0xd800 && code <= 0xdfff ? null : `\\x{${code.toString(16)}}`;
