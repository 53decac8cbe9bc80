import { refuse, STRICT } from './strict-mode.js';
import { type WordPart, type ShellScript, UnreadableScript, type ShellWord } from './syntax.js';

/** A place in the text, which readers of words and of commands move along together. */
export interface Cursor {
  readonly text: string;
  at: number;
  /** Where all of it stands, if it stands in quotes of another text. */
  readonly pin: { readonly start: number; readonly end: number } | null;
  depth: number;
  /** Whether only what all shells read alike is taken: `strict-mode.ts`. */
  readonly isStrict: boolean;
}

/** Reads what stands between `$(` and `)`, or another text that a shell is given. */
export interface NestedReader {
  upToParenthesis(cursor: Cursor): ShellScript;
  whole(text: string, from: Cursor, start: number, end: number): ShellScript;
}

export const MAX_NESTING = 24;

const ENDS = /[ \t\n;|&<>()]/u;
const PLAIN = /[\w\-./:=@%+,^!\]]+/y;
const SPECIAL = /[?#$!@*\-0-9]/u;
/** The operators that POSIX has; the rest are some shell’s own. */
const OPERATOR = /:?[-=?+]|%%?|##?/y;

export const takeMatch = (cursor: Cursor, pattern: RegExp): string | null => {
  pattern.lastIndex = cursor.at;
  const found = pattern.exec(cursor.text)?.[0] ?? null;
  if (found !== null) cursor.at += found.length;
  return found;
};

/** Null where no word begins. */
export function readWord(cursor: Cursor, nested: NestedReader): ShellWord | null {
  const start = cursor.at;
  const parts: WordPart[] = [];
  for (;;) {
    const { text, at } = cursor;
    const next = text[at];
    if (next === undefined) break;
    if (!cursor.isStrict && next === '<' && text[at + 1] === '(' && at === start) {
      cursor.at += 2;
      parts.push({ kind: 'command', body: nested.upToParenthesis(cursor), quoted: true, isFile: true });
      continue;
    }
    if (ENDS.test(next)) break;
    const plain = takeMatch(cursor, cursor.isStrict ? STRICT.plain : PLAIN);
    if (plain !== null) parts.push({ kind: 'text', value: plain, quoted: false });
    else parts.push(...readWordPart(cursor, nested, at === start || afterAssignment(text.slice(start, at))));
  }
  if (cursor.at === start) return null;
  if (cursor.isStrict && !STRICT.endsWord.test(cursor.text[cursor.at] ?? ' ')) throw refuse(cursor);
  return { parts: joined(parts), ...locatePart(cursor, start, cursor.at) };
}

/** Skips what stands between words: blanks, lines that go on, and a comment. */
export function skipBlanks(cursor: Cursor): void {
  takeMatch(cursor, cursor.isStrict ? STRICT.blanks : /(?:[ \t]|\\\n)*/y);
  const { text, at, isStrict } = cursor;
  const isComment = text[at] === '#' && (at === 0 || /[ \t\n;|&()]/u.test(text[at - 1] ?? ''));
  if (isComment && !isStrict) takeMatch(cursor, /[^\n]*/y);
}

/** Names what stands where something else should. */
export function explainUnexpected(cursor: Cursor): UnreadableScript {
  if (cursor.isStrict) return refuse(cursor);
  const next = cursor.text[cursor.at];
  return new UnreadableScript(
    cursor.at,
    next === undefined ? 'a command without an end' : `“${next}” where a command should be`,
  );
}

const afterAssignment = (before: string): boolean => /^[A-Za-z_]\w*=(?:.*:)?$/u.test(before);

export const locatePart = (
  { pin }: Cursor,
  start: number,
  end: number,
): { readonly start: number; readonly end: number } =>
  pin === null ? { start, end } : { start: pin.start, end: pin.end };

function readWordPart(cursor: Cursor, nested: NestedReader, atBeginning: boolean): readonly WordPart[] {
  const { text, at } = cursor;
  const next = text[at] ?? '';
  if (cursor.isStrict && next !== "'" && next !== '"') throw refuse(cursor);
  switch (next) {
    case "'":
      return [single(cursor)];
    case '"':
      return double(cursor, nested);
    case '\\':
      return escaped(cursor);
    case '$':
      return [dollar(cursor, nested, false)];
    case '`':
      return [backticks(cursor, nested, false)];
    case '*':
    case '?':
      cursor.at += 1;
      return [{ kind: 'glob', value: next }];
    case '[': {
      const set = takeMatch(cursor, /\[[!^]?\]?[\w\-.:=@%+,^!]*\]/y);
      if (set !== null) return [{ kind: 'glob', value: set }];
      cursor.at += 1;
      return [{ kind: 'text', value: '[', quoted: false }];
    }
    case '~': {
      if (!atBeginning) {
        cursor.at += 1;
        return [{ kind: 'text', value: '~', quoted: false }];
      }
      const user = takeMatch(cursor, /~[\w.+-]*/y) ?? '~';
      return [{ kind: 'tilde', user: user.slice(1) }];
    }
    case '{':
    case '}':
      return [brace(cursor)];
    case '#':
      cursor.at += 1;
      return [{ kind: 'text', value: '#', quoted: false }];
    default:
      throw new UnreadableScript(at, 'a character that has to stand in quotes');
  }
}

function single(cursor: Cursor): WordPart {
  const end = cursor.text.indexOf("'", cursor.at + 1);
  if (end === -1) throw new UnreadableScript(cursor.at, 'a quote without an end');
  const value = cursor.text.slice(cursor.at + 1, end);
  cursor.at = end + 1;
  return { kind: 'text', value, quoted: true };
}

function double(cursor: Cursor, nested: NestedReader): readonly WordPart[] {
  const opened = cursor.at;
  cursor.at += 1;
  const parts = readDoubleQuoted(cursor, nested, '"');
  if (cursor.text[cursor.at] !== '"') throw new UnreadableScript(opened, 'a quote without an end');
  cursor.at += 1;
  return parts;
}

/** Reads text as between double quotes, up to `end`, or to the end of the text where that is empty. */
export function readDoubleQuoted(cursor: Cursor, nested: NestedReader, end: string): readonly WordPart[] {
  const parts: WordPart[] = [{ kind: 'text', value: '', quoted: true }];
  const { text } = cursor;
  for (;;) {
    const next = text[cursor.at];
    if (next === undefined || next === end) return parts;
    if (cursor.isStrict && (next === '$' || next === '`' || text.startsWith('\\\n', cursor.at))) throw refuse(cursor);
    if (next === '$') parts.push(dollar(cursor, nested, true));
    else if (next === '`') parts.push(backticks(cursor, nested, true));
    else if (next === '\\') {
      const following = text[cursor.at + 1] ?? '';
      cursor.at += following === '' ? 1 : 2;
      const isEscape =
        following === '$' || following === '`' || following === '\\' || (following === '"' && end === '"');
      if (following !== '\n')
        parts.push({ kind: 'text', value: isEscape ? following : `\\${following}`, quoted: true });
    } else {
      const plain = takeMatch(cursor, /[^"$`\\]+/y) ?? next;
      if (plain === next && next === '"') cursor.at += 1;
      parts.push({ kind: 'text', value: plain, quoted: true });
    }
  }
}

function escaped(cursor: Cursor): readonly WordPart[] {
  const next = cursor.text[cursor.at + 1];
  if (next === undefined) throw new UnreadableScript(cursor.at, 'a backslash at the end');
  const point = String.fromCodePoint(cursor.text.codePointAt(cursor.at + 1) ?? 0);
  cursor.at += 1 + point.length;
  return next === '\n' ? [] : [{ kind: 'text', value: point, quoted: true }];
}

function dollar(cursor: Cursor, nested: NestedReader, quoted: boolean): WordPart {
  const { text, at } = cursor;
  const next = text[at + 1] ?? '';
  if (next === '(') {
    if (text[at + 2] === '(') return arithmetic(cursor);
    cursor.at += 2;
    return { kind: 'command', body: nested.upToParenthesis(cursor), quoted, isFile: false };
  }
  if (next === '{') return parameter(cursor, nested, quoted);
  if (next === '[' || ((next === "'" || next === '"') && !quoted))
    throw new UnreadableScript(at, 'a quote that only some shells know');
  cursor.at += 1;
  const name = takeMatch(cursor, /[A-Za-z_]\w*/y);
  if (name !== null) return variable(name, quoted);
  if (SPECIAL.test(next)) {
    cursor.at += 1;
    return variable(next, quoted);
  }
  return { kind: 'text', value: '$', quoted: true };
}

const variable = (name: string, quoted: boolean): WordPart => ({
  kind: 'variable',
  name,
  operator: '',
  instead: [],
  quoted,
});

/** Whether each bracket is closed: `$(((x)) …)` is one thing to some shells and another to others. */
function isBalanced(text: string): boolean {
  let open = 0;
  for (const letter of text) {
    if (letter === '(') open += 1;
    else if (letter === ')') open -= 1;
  }
  return open === 0;
}

/** Reads arithmetic over numbers and names alone: other shells run what stands between its brackets. */
function arithmetic(cursor: Cursor): WordPart {
  const found = takeMatch(cursor, /\$\(\((?:[\w \t+\-*/%<>=!?:,]|\$\w|\$\{\w+\}|\((?!\()|(?<!\))\)(?!\)))*\)\)/y);
  if (found === null || !isBalanced(found)) throw new UnreadableScript(cursor.at, 'arithmetic');
  return { kind: 'number', names: [...found.matchAll(/(?<!\w)[A-Za-z_]\w*|(?<=\$\{?)\w+/gu)].map(([name]) => name) };
}

function parameter(cursor: Cursor, nested: NestedReader, quoted: boolean): WordPart {
  const opened = cursor.at;
  if (cursor.depth >= MAX_NESTING) throw new UnreadableScript(opened, 'commands within commands, too deep to follow');
  cursor.depth += 1;
  cursor.at += 2;
  const length = takeMatch(cursor, /#(?=[A-Za-z_]\w*\})/y);
  const name = takeMatch(cursor, /[A-Za-z_]\w*|[?#$!@*-]|\d+/y);
  if (name === null) throw new UnreadableScript(opened, 'a variable');
  const operator = takeMatch(cursor, OPERATOR) ?? '';
  const instead: WordPart[] = [];
  if (operator !== '') {
    // Between its brackets words end at `}` alone.
    for (;;) {
      const next = cursor.text[cursor.at];
      if (next === undefined) throw new UnreadableScript(opened, 'a variable');
      if (next === '}') break;
      const plain = takeMatch(cursor, /[\w\-./:=@%+,^! \t#?*]+/y);
      if (plain !== null) instead.push({ kind: 'text', value: plain, quoted });
      else if (next === '{' || next === '\n' || ENDS.test(next)) throw new UnreadableScript(opened, 'a variable');
      else instead.push(...readWordPart(cursor, nested, false));
    }
  }
  if (cursor.text[cursor.at] !== '}') throw new UnreadableScript(opened, 'a variable');
  cursor.at += 1;
  cursor.depth -= 1;
  return length === null ? { kind: 'variable', name, operator, instead, quoted } : { kind: 'number', names: [] };
}

function backticks(cursor: Cursor, nested: NestedReader, quoted: boolean): WordPart {
  const start = cursor.at;
  const body = takeMatch(cursor, /`(?:[^`\\]|\\[\s\S])*`/y);
  if (body === null) throw new UnreadableScript(start, 'a quote without an end');
  const text = body.slice(1, -1).replaceAll(quoted ? /\\([$`\\"])/gu : /\\([$`\\])/gu, '$1');
  return { kind: 'command', body: nested.whole(text, cursor, start, cursor.at), quoted, isFile: false };
}

function brace(cursor: Cursor): WordPart {
  const list = takeMatch(cursor, /\{[\w\-./:=@%+^*]*(?:,[\w\-./:=@%+^*]*)+\}/y);
  if (list !== null) return { kind: 'brace', value: list, choices: list.slice(1, -1).split(',') };
  const range = takeMatch(cursor, /\{(?:-?\d{1,4}|[a-zA-Z])\.\.(?:-?\d{1,4}|[a-zA-Z])\}/y);
  if (range !== null) return { kind: 'brace', value: range, choices: ranged(range) };
  // A brace without a comma or a range is itself in every shell: `{}`, `HEAD@{1}`.
  const itself = takeMatch(cursor, /\{(?:[\w@:/+^-]|\.(?!\.))*\}/y);
  if (itself !== null) return { kind: 'text', value: itself, quoted: false };
  const other = takeMatch(cursor, /[{}]+(?=[ \t\n;|&)]|$)/y);
  if (other !== null) return { kind: 'text', value: other, quoted: false };
  throw new UnreadableScript(cursor.at, 'a brace');
}

function ranged(range: string): readonly string[] {
  const [from = '', to = ''] = range.slice(1, -1).split('..');
  if (!/\d/u.test(range)) {
    const [low, high] = [from.charCodeAt(0), to.charCodeAt(0)].toSorted((a, b) => a - b);
    return Array.from({ length: (high ?? 0) - (low ?? 0) + 1 }, (_, step) => String.fromCharCode((low ?? 0) + step));
  }
  const [low, high] = [Number(from), Number(to)].toSorted((a, b) => a - b);
  return Array.from({ length: (high ?? 0) - (low ?? 0) + 1 }, (_, step) => String((low ?? 0) + step));
}

/** Text beside text is one text. */
function joined(parts: readonly WordPart[]): readonly WordPart[] {
  const whole: WordPart[] = [];
  for (const part of parts) {
    const last = whole.at(-1);
    if (part.kind === 'text' && last?.kind === 'text' && part.quoted === last.quoted)
      whole[whole.length - 1] = { kind: 'text', value: last.value + part.value, quoted: part.quoted };
    else whole.push(part);
  }
  return whole;
}
