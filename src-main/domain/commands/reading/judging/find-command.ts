import { listBelow, compileGlob } from '../folder.js';
import type { ParsedWords } from './option-parser.js';
import { type CommandOutcome, type CommandContext, UNKNOWN_OUTPUT } from './command-context.js';
import { listSecretsBelow } from '../places.js';
import { type EvaluatedWord, literalWord, wordText, unknownWord } from '../word-values.js';
import { recordWord } from './word-effects.js';

const TESTS_WITH_NAME = /^-(?:i?name|i?path|i?wholename|i?regex|i?lname)$/u;
const TESTS_WITH_VALUE =
  /^-(?:type|xtype|maxdepth|mindepth|size|[mac]time|[mac]min|perm|user|group|uid|gid|links|inum|fstype|used|regextype|context|printf|D|O\d?|newermt|newerat|newerct)$/u;
const TESTS_WITH_FILE = /^-(?:newer\w*|anewer|cnewer|samefile|files0-from)$/u;
const PLAIN =
  /^(?:-(?:empty|readable|writable|executable|not|and|or|a|o|prune|print0?|ls|xdev|mount|depth|daystart|[LHP]|true|false|quit|follow|nouser|nogroup|noleaf|ignore_readdir_race|warn|nowarn)|[(),!])$/u;
const RUNS = /^-(?:exec|execdir|ok|okdir)$/u;

const NONE: ParsedWords = {
  options: [],
  operands: [],
  unsure: false,
  given: { options: new Map(), operands: [], all: [] },
};

interface FindSearch {
  readonly starts: EvaluatedWord[];
  readonly names: string[];
  /** Whether only these tests decide: with `-o` or `!`, it finds more than they say. */
  isPlain: boolean;
  /** Every word of it, for what is left out by name. */
  readonly words: readonly string[];
}

/** `find` has a language of its own: where it begins, what it looks for, and what it does with what it finds. */
export function judgeFind(args: readonly EvaluatedWord[], judging: CommandContext): CommandOutcome {
  const { walk, at } = judging;
  const { record } = walk;
  const search: FindSearch = { starts: [], names: [], isPlain: true, words: args.map((arg) => wordText(arg) ?? '') };
  const actions: (() => void)[] = [];
  let index = 0;
  for (; index < args.length; index += 1) {
    const arg = args[index];
    const text = arg === undefined ? null : wordText(arg);
    if (arg === undefined || (text !== null && /^[-(!]/u.test(text) && !/^-[LHP]$/u.test(text))) break;
    if (text === null && arg.head === '' && !arg.inert && arg.pattern === null)
      record.unread(at, 'an option of find is known only when it runs');
    if (text === null || !/^-[LHP]$/u.test(text)) search.starts.push(arg);
  }
  for (; index < args.length; index += 1) {
    const arg = args[index];
    if (arg === undefined) break;
    const text = wordText(arg);
    const next = args[index + 1];
    if (text === null) record.unread(arg, 'an option of find is known only when it runs');
    else if (PLAIN.test(text)) {
      if (/^(?:-o|-or|,)$/u.test(text)) search.isPlain = false;
    } else if (TESTS_WITH_NAME.test(text)) {
      index += 1;
      const pattern = next === undefined ? null : wordText(next);
      if (pattern === null || next === undefined) record.unread(arg, 'what find looks for is known only when it runs');
      else if (/regex/u.test(text)) search.isPlain = false;
      else {
        const isExcluded = /^(?:!|-not)$/u.test(wordText(args[index - 2] ?? arg) ?? '');
        if (!isExcluded) search.names.push(pattern);
        if (!isExcluded)
          for (const secret of listSecretsBelow(record.folder, '', pattern.split('/').at(-1) ?? pattern))
            record.secret(secret, next);
      }
    } else if (TESTS_WITH_VALUE.test(text)) index += 1;
    else if (TESTS_WITH_FILE.test(text)) {
      index += 1;
      if (next !== undefined) recordWord('find', next, 'reads', NONE, judging);
    } else if (text === '-delete') {
      record.onlyReads = false;
      record.warn(at, 'deletes every file that it finds');
      actions.push(() => recordWord('find', listFoundFiles(search, judging, at), 'deletes', NONE, judging));
    } else if (/^-(?:fprint0?|fls|fprintf)$/u.test(text)) {
      record.warn(at, 'writes what it finds to a file');
      index += text === '-fprintf' ? 2 : 1;
      if (next !== undefined) recordWord('find', next, 'writes', NONE, judging);
    } else if (RUNS.test(text)) {
      const end = args.findIndex(
        (each, place) =>
          place > index &&
          (wordText(each) === ';' || (wordText(each) === '+' && wordText(args[place - 1] ?? each) === '{}')),
      );
      const command = args.slice(index + 1, end === -1 ? args.length : end);
      if (end === -1) record.unread(arg, 'what find is to run has no end');
      index = end === -1 ? args.length : end;
      record.warn(at, 'runs a command for every file that it finds');
      actions.push(() => judgeExec(command, listFoundFiles(search, judging, at), judging));
    } else record.unread(arg, `find knows no ${text.slice(0, 40)}`);
  }
  for (const start of search.starts) recordWord('find', start, 'reads', NONE, judging);
  if (actions.length > 0)
    for (const start of search.starts)
      for (const text of start.oneOf ?? []) record.controlled(text, judging.scope.cwds, start);
  for (const act of actions) act();
  if (!judging.mayRead) record.onlyReads = false;
  return {
    output: actions.length > 0 ? UNKNOWN_OUTPUT : { kind: 'files', files: listFoundFiles(search, judging, at).oneOf },
  };
}

/** Lists the files that it may find: more where not every test is understood. */
function listFoundFiles(
  { starts, names, isPlain, words }: FindSearch,
  { walk, scope }: CommandContext,
  at: { readonly start: number; readonly end: number },
): EvaluatedWord {
  const { folder } = walk.record;
  const [cwd, ...others] = scope.cwds ?? [];
  if (cwd === undefined || others.length > 0) return unknownWord(at);
  const all: string[] = [];
  for (const start of starts.length === 0 ? [literalWord('.', at)] : starts) {
    const text = wordText(start);
    if (text === null || /^[/~]|(?:^|\/)\.\.(?:\/|$)/u.test(text)) return unknownWord(at);
    const from = [cwd, text]
      .join('/')
      .split('/')
      .filter((name) => name !== '' && name !== '.')
      .join('/');
    const files = listBelow(folder, from);
    if (files === null) return unknownWord(at);
    all.push(...files.map((file) => (cwd === '' ? file : file.slice(cwd.length + 1))));
  }
  // In what is not looked through there may be more of them.
  const isLeftOut = (closed: string): boolean =>
    words.some((word) => word.includes(closed.split('/').at(-2) ?? closed));
  const mayBeMore = all.some(
    (file) => file.endsWith('/') && !isLeftOut(file) && !isInsideGitFolder(file, isPlain ? names : []),
  );
  // A folder that is closed stands for itself where no name is asked for.
  const tests = isPlain ? names.map((name) => compileGlob(name.split('/').at(-1) ?? name, true)) : [];
  // A name may be that of a folder, and then stands for what is in it.
  const found = all.flatMap((file) => {
    if (tests.length === 0) return [file];
    const parts = file.split('/');
    const place = parts.findIndex((part) => tests.every((test) => test(part)));
    return place === -1 ? [] : [parts.slice(0, place + 1).join('/')];
  });
  const oneOf = [...new Set(found)];
  if (oneOf.length > 2000) return unknownWord(at);
  return {
    ...literalWord('', at),
    oneOf,
    ...(isPlain && tests.length > 0 && !mayBeMore ? {} : { loose: true as const }),
  };
}

/** Names of files in a repository, as they usually are. */
const GITS =
  'HEAD config index packed-refs description exclude ORIG_HEAD FETCH_HEAD COMMIT_EDITMSG index.lock pre-commit pre-push.sample pack-1.pack pack-1.idx pack-1.rev main a1b2c3'.split(
    ' ',
  );

/** A repository, in which there is nothing of these names. */
const isInsideGitFolder = (folder: string, names: readonly string[]): boolean =>
  /(?:^|\/)\.git\/$/u.test(folder) &&
  names.some((name) => !GITS.some((file) => compileGlob(name.split('/').at(-1) ?? name, true)(file)));

function judgeExec(command: readonly EvaluatedWord[], found: EvaluatedWord, judging: CommandContext): void {
  const [program, ...rest] = command;
  const { walk, at } = judging;
  const name = program === undefined ? null : wordText(program);
  if (name === null || name.includes('{}')) {
    walk.record.note('unseen-program', at, 'runs whatever files it finds');
    return;
  }
  const args = rest.map((arg): EvaluatedWord => {
    const text = wordText(arg);
    if (text === null || !text.includes('{}')) return arg;
    if (text === '{}') return { ...found, start: arg.start, end: arg.end, head: './' };
    return found.oneOf === null
      ? { ...unknownWord(arg), head: text.slice(0, text.indexOf('{}')) }
      : { ...arg, oneOf: found.oneOf.map((file) => text.replaceAll('{}', file)), head: '', loose: true };
  });
  judging.judge(name, args, { ...judging, input: { kind: 'none' } });
}
