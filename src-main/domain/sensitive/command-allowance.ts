import type { LeaveAllowance } from './leave-allowance.js';

/** A simple command as it was read, or one that another starts. */
export interface SimpleReadCommand {
  /** The program as it is called: `git`, `./git`. */
  readonly program: string;
  /**
   * The program's words; of a word that can’t be told its certain beginning. Other texts that words may be follow at
   * the end.
   */
  readonly words: readonly string[];
  /** Whether it changes nothing, by what is known of the program with these words. */
  readonly onlyReads: boolean;
  /** Paths below the root that its words are, where one that steers other programs. */
  readonly steering: readonly string[];
  /** The settings that it would change, of a `git config`. */
  readonly settings: readonly string[];
}

/**
 * Git's ordinary subcommands. A word that is not here may run any program (`filter-branch`), or is an alias of the
 * repository’s settings.
 */
const ORDINARY_SUBCOMMANDS: ReadonlySet<string> = new Set(
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

/**
 * Decides what a command may leave by the commands that were read in it; null where not all of it was read: then it is
 * not taken for Git.
 */
export function decideLeaveAllowance(
  commands: readonly SimpleReadCommand[] | null,
  named: readonly string[],
): LeaveAllowance {
  if (commands === null) return { git: false, gitCommands: null, named: keepBelowRoot(named) };
  const ofGit = commands.filter(({ program }) => isGit(program));
  const git =
    ofGit.length > 0 &&
    commands.every(({ program, words, onlyReads }) => (isGit(program) ? isOrdinaryGit(words) : onlyReads));
  const all = commands.flatMap(({ settings, steering, onlyReads }) => [...settings, ...(onlyReads ? [] : steering)]);
  return {
    git,
    gitCommands: git ? ofGit.map(({ words }) => fromSubcommand(words) ?? []) : null,
    named: keepBelowRoot([...all, ...named]),
  };
}

const isGit = (program: string): boolean => /^(?:\/usr(?:\/local)?\/bin\/)?git$/u.test(program);

/** Keeps the paths below the root, once each. */
const keepBelowRoot = (paths: readonly string[]): readonly string[] => [
  ...new Set(paths.filter((path) => path !== '' && !/^[/~]|(?:^|\/)\.\.(?:\/|$)/u.test(path))),
];

/** Null where an option of Git itself stands before it that may say anything. */
function fromSubcommand(words: readonly string[]): readonly string[] | null {
  let at = 0;
  for (let option = words[at]; option?.startsWith('-') === true; option = words[at]) {
    const takesValue = GIT_OPTIONS.get(option);
    if (takesValue === undefined) return null;
    at += takesValue ? 2 : 1;
  }
  return words.slice(at);
}

function isOrdinaryGit(words: readonly string[]): boolean {
  const [subcommand = '', ...rest] = fromSubcommand(words) ?? [];
  if (!ORDINARY_SUBCOMMANDS.has(subcommand)) return false;
  if (rest.some(namesProgram)) return false;
  if (subcommand === 'clone' && rest.some((word) => /^-[a-z]*[cu]/u.test(word))) return false;
  if (subcommand === 'rebase' && rest.some((word) => /^-[a-z]*[xi]/u.test(word) || word === '--interactive'))
    return false;
  return !(subcommand === 'submodule' && rest.includes('foreach'));
}

const PROGRAM_OPTIONS = 'exec upload-pack receive-pack template config ext-diff open-files-in-pager'.split(' ');

/** Git takes the beginning of a long option for all of it. */
function namesProgram(word: string): boolean {
  const [, name = ''] = /^--([^=]+)/u.exec(word) ?? [];
  return name.length > 1 && PROGRAM_OPTIONS.some((option) => option.startsWith(name) || name.startsWith(`${option}-`));
}
