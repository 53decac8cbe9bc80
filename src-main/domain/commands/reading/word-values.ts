import type { WordPart, ShellScript, ShellWord } from '../shell/syntax.js';
import { type Folder, listMatches } from './folder.js';

/**
 * The value of a variable: one of these texts, a number or the id of an own job, or what only running it would tell.
 */
export type ShellValue = { readonly oneOf: readonly string[]; readonly loose?: true } | 'number' | 'job' | 'unknown';

export type Variables = ReadonlyMap<string, ShellValue>;

/** A word as a program is given it. */
export interface EvaluatedWord {
  readonly start: number;
  readonly end: number;
  /** Every text that it may be; null where that can’t be told. */
  readonly oneOf: readonly string[] | null;
  /** The beginning, as far as it is certain. */
  readonly head: string;
  /** Whether the unknown rest is a number: no name, no place, no option. */
  readonly inert: boolean;
  /** Whether it is the id of an own job, by `$!`. */
  readonly isJob: boolean;
  /** The pattern of the files that it stands for; null where it is none. */
  readonly pattern: string | null;
  /** Set where it may be more than it will be: enough to look at, not to say what is changed. */
  readonly loose?: true;
}

/** The one text that it is; null where it may be several. */
export const wordText = ({ oneOf }: EvaluatedWord): string | null => (oneOf?.length === 1 ? (oneOf[0] ?? null) : null);

export const literalWord = (
  text: string,
  { start, end }: { readonly start: number; readonly end: number },
): EvaluatedWord => ({
  start,
  end,
  oneOf: [text],
  head: text,
  inert: false,
  isJob: false,
  pattern: null,
});

export const unknownWord = (place: { readonly start: number; readonly end: number }): EvaluatedWord => ({
  ...literalWord('', place),
  oneOf: null,
});

export interface Evaluation {
  readonly variables: Variables;
  readonly folder: Folder;
  /** Where it may be by then; null where that can’t be told. */
  readonly cwds: readonly string[] | null;
  /** Resolves the output of a command substitution; it is read where it stands. */
  readonly valueOf: (body: ShellScript) => ShellValue;
  /** Called where a shell computes with a text that is no number, and may run what stands in it. */
  readonly onComputedText: () => void;
}

const MAX_VALUES = 64;

interface EvaluatedPart {
  readonly value: ShellValue;
  /** The pattern to match where it is a glob: what is literal in it stands behind a backslash. */
  readonly pattern: string;
  readonly splits: boolean;
  readonly isGlob: boolean;
}

/** A word may become several: unquoted values are split at their blanks. */
export function evaluateWord(word: ShellWord, at: Evaluation): readonly EvaluatedWord[] {
  const pieces = word.parts.map((part) => pieceOf(part, at));
  const splitting = pieces.filter(
    ({ splits, value }) => splits && typeof value === 'object' && value.oneOf.some((text) => /[\s*?[]/u.test(text)),
  );
  if (splitting.length > 0) {
    const [only] = splitting;
    const texts = only !== undefined && typeof only.value === 'object' ? only.value.oneOf : [];
    if (pieces.length === 1 && texts.length === 1 && !/[*?[]/u.test(texts[0] ?? ''))
      return (texts[0] ?? '')
        .split(/\s+/u)
        .filter((text) => text !== '')
        .map((text) => literalWord(text, word));
    return [unknownWord(word)];
  }
  const certain = pieces.findIndex(({ value }) => typeof value !== 'object');
  const heads = certain === -1 ? pieces : pieces.slice(0, certain);
  const known = product(heads);
  const head = known === null ? '' : common(known);
  if (certain !== -1 || known === null) {
    const rest = pieces.filter(({ value }) => typeof value !== 'object');
    const inert = known !== null && rest.every(({ value }) => value === 'number' || value === 'job');
    return [
      {
        ...literalWord(head, word),
        oneOf: null,
        inert,
        isJob: inert && pieces.length === 1 && rest[0]?.value === 'job',
      },
    ];
  }
  const loose = pieces.some(({ value }) => typeof value === 'object' && value.loose === true)
    ? { loose: true as const }
    : {};
  if (!pieces.some(({ isGlob }) => isGlob)) {
    // What is empty and stands in no quotes is no word at all.
    if (known.every((text) => text === '') && word.parts.length > 0 && pieces.every(({ splits }) => splits)) return [];
    return [{ ...literalWord('', word), oneOf: known, head, ...loose }];
  }
  const pattern = pieces.map((piece) => piece.pattern).join('');
  if (known.length > 1 || at.cwds === null) return [{ ...literalWord('', word), oneOf: null, head, pattern }];
  return [{ ...literalWord('', word), oneOf: globbed(pattern, known[0] ?? '', at), head, pattern }];
}

function globbed(pattern: string, literal: string, { folder, cwds }: Evaluation): readonly string[] | null {
  const all = new Set<string>();
  for (const cwd of cwds ?? []) {
    if (/^(?:~|\/|\.\.\/)/u.test(pattern) && !pattern.startsWith(`${folder.roots[0] ?? '~'}/`)) return [literal];
    const isPlain = !/^[/~]|(?:^|\/)\.\.?(?:\/|$)/u.test(pattern);
    const found = isPlain ? listMatches(folder, cwd === '' ? pattern : `${cwd}/${pattern}`) : null;
    if (found === null) return null;
    for (const path of found) all.add(cwd === '' ? path : path.slice(cwd.length + 1));
  }
  // What matches nothing stands for itself.
  return all.size === 0 ? [literal] : [...all];
}

function product(pieces: readonly EvaluatedPart[]): readonly string[] | null {
  let texts: readonly string[] = [''];
  for (const { value } of pieces) {
    if (typeof value !== 'object') return null;
    texts = texts.flatMap((text) => value.oneOf.map((next) => text + next));
    if (texts.length > MAX_VALUES) return null;
  }
  return [...new Set(texts)];
}

function common(texts: readonly string[]): string {
  const [first = '', ...others] = texts;
  let length = first.length;
  for (const text of others) while (!text.startsWith(first.slice(0, length))) length -= 1;
  return first.slice(0, length);
}

const piece = (value: ShellValue, more: Partial<EvaluatedPart> = {}): EvaluatedPart => ({
  value,
  pattern: typeof value === 'object' ? (value.oneOf[0] ?? '').replaceAll(/[\\*?[\]]/gu, '\\$&') : '',
  splits: false,
  isGlob: false,
  ...more,
});

function pieceOf(part: WordPart, at: Evaluation): EvaluatedPart {
  switch (part.kind) {
    case 'text':
      return piece({ oneOf: [part.value] });
    case 'glob':
      return piece({ oneOf: [part.value] }, { pattern: part.value, isGlob: true });
    case 'tilde':
      return piece(part.user === '+' ? { oneOf: at.folder.roots.slice(0, 1) } : { oneOf: [`~${part.user}`] });
    case 'brace':
      return part.choices.length > MAX_VALUES - 1 ? piece('unknown') : piece({ oneOf: [part.value, ...part.choices] });
    case 'number':
      if (part.names.some((name) => !isComputable(valueToCompute(name, at)))) at.onComputedText();
      return piece('number');
    case 'command':
      return part.isFile
        ? piece(at.valueOf(part.body) && { oneOf: ['/dev/fd/63'] })
        : piece(at.valueOf(part.body), { splits: !part.quoted });
    case 'variable':
      return piece(valueOfVariable(part, at), { splits: !part.quoted });
  }
}

/** The value of a name in arithmetic; what is set nowhere in the command is of the environment, which no command makes. */
const valueToCompute = (name: string, at: Evaluation): ShellValue =>
  at.variables.has(name) || /^\d/u.test(name) ? heldBy(name, at) : 'number';

/** Whether a shell that computes with this value runs nothing. */
export const isComputable = (value: ShellValue): boolean =>
  value === 'number' ||
  value === 'job' ||
  (typeof value === 'object' && value.oneOf.every((text) => /^-?\d*$/u.test(text)));

/** Whether some shells compute the text that this variable is given. */
export const isComputedWhenSet = (name: string): boolean =>
  /^(?:RANDOM|OPTIND|SECONDS|LINENO|(?:BASH|HIST)\w*)$/u.test(name);

const NUMBERS: ReadonlySet<string> = new Set([
  '?',
  '#',
  '$',
  'RANDOM',
  'LINENO',
  'SECONDS',
  'UID',
  'EUID',
  'PPID',
  'COLUMNS',
  'LINES',
]);

function valueOfVariable(
  { name, operator, instead }: Extract<WordPart, { kind: 'variable' }>,
  at: Evaluation,
): ShellValue {
  const held = heldBy(name, at);
  if (operator === '') return held;
  const pieces = instead.map((part) => pieceOf(part, at));
  const other = product(pieces);
  if (!/^:?[-+=?]$/u.test(operator)) return held === 'number' ? 'number' : 'unknown';
  if (operator.endsWith('?')) return held;
  if (typeof held !== 'object' || other === null) return 'unknown';
  return { oneOf: [...new Set([...held.oneOf, ...other, ''])] };
}

function heldBy(name: string, { variables, folder, cwds }: Evaluation): ShellValue {
  const set = variables.get(name);
  if (set !== undefined) return set;
  if (name === '!') return 'job';
  if (NUMBERS.has(name)) return 'number';
  if (name === 'HOME') return { oneOf: ['~'] };
  if (name === 'TMPDIR') return { oneOf: ['/tmp'] };
  const [root] = folder.roots;
  if (name === 'PWD' && root !== undefined && cwds !== null)
    return { oneOf: cwds.map((cwd) => (cwd === '' ? root : `${root}/${cwd}`)) };
  return 'unknown';
}
