import { type ParsedArguments, hasOption } from '../program.js';

type ShownWords = (given: ParsedArguments) => readonly (string | null)[] | null;

/** Options with which Git shows what is in files, whatever else it is told. */
const PATCH = [
  'p',
  'u',
  'patch',
  'U',
  'unified',
  'patch-with-stat',
  'patch-with-raw',
  'c',
  'cc',
  'dd',
  'diff-merges',
  'remerge-diff',
  'binary',
  'word-diff',
  'word-diff-regex',
  'color-words',
  'check',
];
const NO_PATCH = [
  's',
  'no-patch',
  'q',
  'quiet',
  'raw',
  'stat',
  'shortstat',
  'numstat',
  'name-only',
  'name-status',
  'summary',
  'compact-summary',
  'dirstat',
  'X',
  'cumulative',
  'dirstat-by-file',
];

/** The beginning of a long name stands for it. */
const shows = (given: ParsedArguments, names: readonly string[]): boolean =>
  [...given.options.keys()].some((option) =>
    names.some((name) => name === option || (option.length > 2 && name.startsWith(option))),
  );

/** `HEAD:src/a.ts`: the file is named, and is looked at as such. */
const NAMES_FILE = /^[^:\s]*:(?:\d:)?[^/!^(:]/u;

function of(operands: readonly (string | null)[]): readonly (string | null)[] | null {
  const others = operands.filter((operand) => operand === null || !NAMES_FILE.test(operand));
  return operands.length > 0 && others.length === 0 ? null : others;
}

/** `log`, `stash list`: a patch only where it is asked for. */
export const showsPatches: ShownWords = (given) => (shows(given, PATCH) ? of(given.operands) : null);

/** `show`, `diff`: a patch where nothing else is asked for. */
export const showsChanges: ShownWords = (given) =>
  shows(given, PATCH) || !hasOption(given, ...NO_PATCH) ? of(given.operands) : null;

export const showsStash: ShownWords = (given) => {
  const [verb, ...operands] = given.operands;
  if (verb === 'show') return showsChanges({ ...given, operands });
  return verb === 'list' || verb === null ? showsPatches({ ...given, operands }) : null;
};

export const showsFound: ShownWords = (given) => {
  const counts = hasOption(given, 'l', 'L', 'c', 'q', 'files-with-matches', 'files-without-match', 'name-only');
  if (counts || hasOption(given, 'count', 'quiet')) return null;
  return hasOption(given, 'e', 'f') ? given.operands : given.operands.slice(1);
};

/** A name of a commit shows that commit, and no file. */
const OBJECT = /^[\da-f]{4,64}$/iu;

export const showsObjects: ShownWords = (given) => {
  const reads = hasOption(given, 'p', 'textconv', 'filters', 'batch', 'batch-command') || given.operands[0] === 'blob';
  const mayBe = given.operands.some((operand) => operand === null || OBJECT.test(operand));
  return reads && (mayBe || hasOption(given, 'batch', 'batch-command')) ? [] : null;
};

export const showsStaged: ShownWords = (given) => (hasOption(given, 'v', 'verbose') ? given.operands : null);

/** Shows everything that a commit holds, but for a list of what could be. */
export const showsAll: ShownWords = (given) => (hasOption(given, 'l', 'list') ? null : given.operands);
