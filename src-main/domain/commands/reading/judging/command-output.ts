import type { KnownOutput, Program } from '../../programs/program.js';
import { type CommandContext, type CommandOutput, UNKNOWN_OUTPUT } from './command-context.js';
import { compileGlob, listBelow } from '../folder.js';
import type { ParsedWords } from './option-parser.js';
import { wordText } from '../word-values.js';

/** Determines the output of a command, where its reader has to know. */
export function commandOutput({ prints = [] }: Program, words: ParsedWords, judging: CommandContext): CommandOutput {
  for (const each of prints) {
    const output = holds(each, words) ? outputAs(each.kind, words, judging) : null;
    if (output !== null) return output;
  }
  return UNKNOWN_OUTPUT;
}

const holds = ({ when, operands }: KnownOutput, words: ParsedWords): boolean =>
  when?.(words.given) !== false &&
  (operands === undefined || words.operands.every((arg) => arg.inert || operands.test(wordText(arg) ?? '/')));

function outputAs(kind: KnownOutput['kind'], words: ParsedWords, judging: CommandContext): CommandOutput | null {
  const { input, scope, walk } = judging;
  switch (kind) {
    case 'number':
    case 'job':
      return { kind };
    case 'temporary':
      return { kind: 'text', text: '/tmp/tmp' };
    case 'folder': {
      const [cwd, ...others] = scope.cwds ?? [];
      const [root] = walk.record.folder.roots;
      return cwd === undefined || others.length > 0 || root === undefined
        ? null
        : { kind: 'text', text: cwd === '' ? root : `${root}/${cwd}` };
    }
    case 'files':
    case 'files-in-sight':
    case 'files-matched':
      return { kind: 'files', files: listFiles(kind, words, judging) };
    case 'input':
      return input.kind === 'pipe' ? input.output : null;
    case 'listed-input':
      return input.kind === 'pipe' && input.output.kind === 'files' ? input.output : null;
  }
}

const MAX_LISTED_FILES = 2000;

/** Files that a program may name: more than it will, and never fewer. */
function listFiles(
  kind: 'files' | 'files-in-sight' | 'files-matched',
  { given }: ParsedWords,
  { walk, scope }: CommandContext,
): readonly string[] | null {
  const { folder } = walk.record;
  const [cwd, ...others] = scope.cwds ?? [];
  const files = cwd === undefined || others.length > 0 ? null : listBelow(folder, cwd);
  if (files === null || files.length > MAX_LISTED_FILES) return null;
  const isPlain = (text: string | null): boolean => text !== null && !/^[/~]|(?:^|\/)\.\.(?:\/|$)/u.test(text);
  if (!given.operands.every(isPlain)) return null;
  const all = files.map((file) => (cwd === '' || cwd === undefined ? file : file.slice(cwd.length + 1)));
  if (kind === 'files-in-sight') return all.filter((file) => !/(?:^|\/)\./u.test(file));
  const patterns = kind === 'files' ? [] : given.operands.map((text) => text ?? '*');
  if (patterns.length === 0) return all;
  const tests = patterns.map((pattern) => compileGlob(pattern.split('/').at(-1) ?? pattern, true));
  return all.filter(
    (file) =>
      tests.some((test) => test(file.split('/').at(-1) ?? file)) ||
      patterns.some((pattern) => file.startsWith(`${pattern.replace(/\/$/u, '')}/`)),
  );
}
