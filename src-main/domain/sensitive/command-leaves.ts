import { isControlFile, isPutAside } from './table.js';
import type { MayLeave } from './may-leave.js';

/** One simple command, as far as its words are certain. */
export interface CertainCommand {
  readonly words: readonly string[];
  /** `>file` and its like. */
  readonly redirections: readonly string[];
}

/** Its ordinary work. What is not here may run any program (`filter-branch`), or is an alias of the repository’s settings. */
const GITS_OWN: ReadonlySet<string> = new Set(
  (
    'add am apply archive blame branch bundle cat-file checkout cherry-pick clean clone commit commit-tree config describe diff ' +
    'fetch format-patch fsck gc grep hash-object init log ls-files ls-remote ls-tree maintenance merge merge-base mv notes ' +
    'pack-refs prune pull push range-diff read-tree rebase reflog remote repack reset restore rev-list rev-parse revert rm ' +
    'shortlog show show-ref sparse-checkout stash status submodule switch symbolic-ref tag update-index update-ref version ' +
    'worktree write-tree'
  ).split(' '),
);

/** Options of Git itself that say nothing of what it obeys or runs; with a value of their own where so marked. */
const GIT_OPTIONS: ReadonlyMap<string, boolean> = new Map([
  ['-C', true],
  ['--no-pager', false],
  ['-P', false],
  ['--no-optional-locks', false],
  ['--literal-pathspecs', false],
]);

/** Programs that change nothing of Git's, and often stand beside it in one line. */
const BESIDE_GIT: ReadonlySet<string> = new Set([
  'cd',
  'echo',
  'true',
  ':',
  'pwd',
  'printf',
  'ls',
  'cat',
  'head',
  'tail',
]);
/** Programs that only read what they are given; to name a file to them is not to change it. */
const READERS: ReadonlySet<string> = new Set(
  'cat head tail less more grep egrep fgrep rg ls stat file wc diff cmp sort uniq cut jq tree du find test [ sha256sum md5sum'.split(
    ' ',
  ),
);

/**
 * What a command may leave, by its own words; null where they are not certain: then it is taken for none that is Git, and
 * names nothing.
 */
export function mayLeaveByWords(commands: readonly CertainCommand[] | null): MayLeave {
  if (commands === null || commands.length === 0) return { git: false, gitCommands: null, named: [] };
  const programs = commands.map(({ words }) => words[0] ?? '');
  const git =
    programs.includes('git') &&
    commands.every(({ words }) => (words[0] === 'git' ? isGitsOwn(words) : BESIDE_GIT.has(words[0] ?? '')));
  const gitCommands = git
    ? commands.filter(({ words }) => words[0] === 'git').map(({ words }) => fromSubcommand(words) ?? [])
    : null;
  return { git, gitCommands, named: [...new Set(commands.flatMap(namedBy))] };
}

/** Null where an option of Git itself stands before it that may say anything. */
function fromSubcommand(words: readonly string[]): readonly string[] | null {
  let at = 1;
  for (let option = words[at]; option?.startsWith('-') === true; option = words[at]) {
    const takesValue = GIT_OPTIONS.get(option);
    if (takesValue === undefined) return null;
    at += takesValue ? 2 : 1;
  }
  return words.slice(at);
}

function isGitsOwn(words: readonly string[]): boolean {
  const [subcommand = '', ...rest] = fromSubcommand(words) ?? [];
  if (!GITS_OWN.has(subcommand)) return false;
  // Programs in options.
  if (
    rest.some((word) =>
      /^--(?:exec|upload-pack|receive-pack|template|config|ext-diff|open-files-in-pager)\b/u.test(word),
    )
  )
    return false;
  if (subcommand === 'clone' && rest.some((word) => /^-[a-z]*[cu]/u.test(word))) return false;
  if (subcommand === 'rebase' && rest.some((word) => /^-[a-z]*[xi]/u.test(word) || word === '--interactive'))
    return false;
  return !(subcommand === 'submodule' && rest.includes('foreach'));
}

function namedBy({ words, redirections }: CertainCommand): readonly string[] {
  const [program = '', ...args] = words;
  const written = redirections.flatMap((each) => /^\d*(?:>>?|>\||<>)(.*)$/u.exec(each)?.[1] ?? []);
  const named = READERS.has(program) ? written : [...args, ...written];
  const config = program === 'git' && args.includes('config') ? ['.git/config', '.git/config.worktree'] : [];
  return [...config, ...named.map(plainPath).filter((path) => path !== null)].filter(
    (path) => isPutAside(path) || isControlFile(path),
  );
}

/** From the root; null for what is no path below it. */
function plainPath(word: string): string | null {
  const path = word
    .replace(/^--?[\w-]+=/u, '')
    .replace(/^(?:\.\/)+/u, '')
    .replace(/\/+$/u, '');
  return path === '' || path.startsWith('-') || path.startsWith('/') || path.split('/').includes('..') ? null : path;
}

/** Plain words and the joints between them; null for anything else, however harmless it may be. */
export function certainWords(command: string): readonly CertainCommand[] | null {
  const commands: CertainCommand[] = [];
  for (const part of command.trim().split(/[ \t]*(?:&&|\|\||[;|\n])[ \t]*/u)) {
    const words: string[] = [];
    const redirections: string[] = [];
    let rest = part;
    while (rest !== '') {
      const found = /^(?:(>>?) *)?(?:([\w./:@%+,=^-]+)|'([^'\n\r]*)'|"([^"'`$\\!\n\r]*)")(?:[ \t]+|$)/u.exec(rest);
      if (found === null) return null;
      const word = found[2] ?? found[3] ?? found[4] ?? '';
      if (found[1] === undefined) words.push(word);
      else redirections.push(`${found[1]}${word}`);
      rest = rest.slice(found[0].length);
    }
    if (words.length === 0 || words[0]?.includes('=') === true) return null;
    commands.push({ words, redirections });
  }
  return commands;
}
