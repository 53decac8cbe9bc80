import { isHarmless } from './harmless.js';
import type { Strength } from './names.js';
import { blockBelow, lineStart, quotedEnd } from './shapes.js';
import type { Span } from './spans.js';

/** Values that stand on the lines below their name: `password:`, and the rest on the next line. */
interface NameSpan {
  readonly start: number;
  readonly end: number;
  readonly strength: Strength;
}

/** The end of a line with nothing but blanks and a note of YAML before it; with what opens a block, perhaps. */
const ENDS_LINE = /(?:#[^\r\n]{0,400})?(?:\r?\n|$)/uy;
const OPENS_BLOCK =
  /(?:[!&][\w!./-]{0,40}[^\S\r\n]{1,8}){0,2}[|>](?:[+-]?\d?|\d[+-]?)[^\S\r\n]{0,40}(?:#[^\r\n]{0,400})?\r?\n/uy;
const BLANKS_AND_NOTES = /(?:\s|(?<=\n[^\S\n]{0,64})#[^\n]{0,400}(?=\n)){0,2000}/uy;
const MAX_LENGTH = 16_384;

const matches = (pattern: RegExp, text: string, at: number): boolean => {
  pattern.lastIndex = at;
  return pattern.test(text);
};

/** Tags that YAML puts before a value, for the values of its first line's name: `!!str`, `!vault`, `&anchor`. */
const TAGS = /(?:(?:!{1,2}[\w.:/-]{0,60}|!<[^<>\s]{1,100}>|&[\w-]{1,60})[^\S\r\n]{1,8}){1,2}(?=[^\s|>])/uy;
/** The name of something that is defined elsewhere. */
const REFERS = /!(?:Ref|GetAtt|ImportValue|secret|env|env_var|include|reference)[^\S\r\n]/uy;

/** Where the value begins; where it stands where it is said to, at the same place. Null where it is only referred to. */
export function skipTags(text: string, at: number, name: number): number | null {
  if (!/[!&]/u.test(text.charAt(at)) || !/^\s*(?:-\s+)*["']?$/u.test(text.slice(lineStart(text, name), name)))
    return at;
  if (matches(REFERS, text, at)) return null;
  return matches(TAGS, text, at) ? TAGS.lastIndex : at;
}

export const endsLine = (text: string, at: number): boolean => matches(ENDS_LINE, text, at);
export const opensBlock = (text: string, at: number): boolean => matches(OPENS_BLOCK, text, at);

/** Where the next line that says something begins to, seen from where a line ends. */
export function findLineBelow(text: string, at: number): number {
  const line = matches(ENDS_LINE, text, at) ? ENDS_LINE.lastIndex : at;
  return matches(BLANKS_AND_NOTES, text, line) ? BLANKS_AND_NOTES.lastIndex : line;
}

/** Whether a value in quotes follows that is no name of something itself. */
export function isQuotedValue(text: string, at: number): boolean {
  const quoted = quotedEnd(text, at, MAX_LENGTH);
  return quoted !== null && !/^\]?\s{0,16}[:=]/u.test(text.slice(quoted.after, quoted.after + 20));
}

/** A name of YAML stands first on its line. */
const opensLine = (text: string, name: NameSpan): boolean =>
  /^\s*(?:-\s+)*["']?$/u.test(text.slice(lineStart(text, name.start), name.start));
/** `name: …` and `- …`: what is below is no value but more names, or a list. */
const IS_MORE = /^(?:["']?[\w.$/@-]{1,128}["']?\s{0,16}:(?:\s|$)|-\s|[{[(<|>&*!])/u;
const RANDOM_WORD = /^[\w+/.~-]{16,4096}={0,2}$/u;

/** A value without quotes, indented deeper than its name; behind `=` only a word that could be nothing else. */
export function findBareValueBelow(text: string, at: number, name: NameSpan, separator: string): readonly Span[] {
  const start = findLineBelow(text, at);
  const lineEnd = /\r?\n|$/u.exec(text.slice(start, start + MAX_LENGTH))?.index ?? 0;
  const line = text.slice(start, start + lineEnd).trimEnd();
  if (line === '' || IS_MORE.test(line)) return [];
  if (separator !== ':') {
    const isWord = name.strength === 'strong' && RANDOM_WORD.test(line);
    return isWord && !isHarmless(line, { strength: 'weak', quoted: false })
      ? [{ start, end: start + line.length }]
      : [];
  }
  // The block last: where it is long, it is taken out, and not looked at again for the next name in it.
  const isScalar = opensLine(text, name) && !isNoScalar(line, name.strength);
  const end = isScalar ? (blockBelow(text, at, name.start)[0]?.end ?? 0) : 0;
  if (end > start) return [{ start, end }];
  return isAnswer(text, name, line) ? [{ start, end: start + line.length }] : [];
}

/** `Enter your password:`, and what a list or a page has as the name of what stands below it. */
const PROMPT = /^[^\S\n]*(?:(?:[-*#>]{1,6}|\p{L}[\p{L}'’]{0,20})[^\S\n]+){0,6}["'`*_]{0,3}$/u;
const NO_ANSWER = /[\s()[\]{}<>;,:"'`$]|^[^\p{L}]*$|\.\p{L}{2,4}$|^v?\d+(?:\.|$)/u;

/** Whether a line is what a prompt on the line above asked for: one word with figures or signs, as no sentence has. */
const isAnswer = (text: string, name: NameSpan, line: string): boolean =>
  line.length >= 6 &&
  line.length <= 200 &&
  !NO_ANSWER.test(line) &&
  /[\d!@#%^&*+=~?]/u.test(line) &&
  PROMPT.test(text.slice(lineStart(text, name.start), name.start)) &&
  !isHarmless(line, { strength: name.strength, quoted: false });

/** Words of a program, a form or a sentence. */
function isNoScalar(line: string, strength: Strength): boolean {
  const word = line.replace(/[,;]$/u, '');
  if (/\s/u.test(word))
    return strength !== 'strong' || /[(){}=;<>|&?]|,$/u.test(line) || isHarmless(line, { strength, quoted: true });
  // With a comma behind it, it is a member of a program's.
  return isHarmless(word, { strength: word === line ? strength : 'weak', quoted: false });
}

/** `key` alone says nothing, but for what stands below it in words without blanks. */
const KEY = /(?:^|[-_.])key$/iu;
const ONE_WORD = /\s{0,400}[^\s]{1,4096}[^\S\r\n]{0,400}(?:\r?\n|$)/uy;
/** So much of a block tells what it is. */
const LOOKED_AT = 1024;
const NO_SECRET_KEY = /(?:public|primary|foreign|cache|sort|partition|index|group|order|pub)[-_.]key$/iu;

export function findValueBelowKey(
  text: string,
  at: number,
  { start, end }: { start: number; end: number },
): readonly Span[] {
  const name = text.slice(start, end);
  if (!KEY.test(name) || NO_SECRET_KEY.test(name)) return [];
  const isBlock = opensBlock(text, at);
  if (!isBlock && !endsLine(text, at)) return [];
  const known: NameSpan = { start, end, strength: 'weak' };
  if (!isBlock) return findBareValueBelow(text, at, known, ':');
  if (!opensLine(text, known) || !matches(ONE_WORD, text, OPENS_BLOCK.lastIndex)) return [];
  const line = lineStart(text, start);
  const head = text.slice(line, at + LOOKED_AT);
  const [begun] = blockBelow(head, at - line, start - line);
  const words = begun === undefined ? [] : head.slice(begun.start, begun.end).split('\n');
  const isSecret = words.every((word) => !/\S\s+\S|\$\{|\{\{|\[redacted\]/u.test(word.trim()));
  return isSecret && words.some((word) => word.trim().length >= 8) ? blockBelow(text, at, start) : [];
}
