import { type GitSetting, findHarmlessDifferences, parseGitConfig } from './git-config.js';

/** Commands of Git, each from its subcommand on. */
export type GitCommands = readonly (readonly string[])[];

const TRACKING = /^branch\.\*\./u;
const TREES =
  /^core\.(?:sparsecheckout|sparsecheckoutcone|bare|repositoryformatversion)$|^extensions\.|^index\.sparse$/u;
const WORKTREE_OF_SUBMODULE = /^core\.worktree$/u;

/**
 * The settings that each subcommand writes by itself in a repository that was there before. Any other difference after
 * it was written by something that it ran: a hook of the repository that runs what is in the workspace, most often.
 */
const WRITTEN_BY: Readonly<Record<string, readonly RegExp[]>> = {
  branch: [TRACKING],
  checkout: [TRACKING, WORKTREE_OF_SUBMODULE],
  fetch: [
    TRACKING,
    /^remote\.\*\.(?:promisor|partialclonefilter|followremotehead)$/u,
    /^extensions\.partialclone$/u,
    /^core\.repositoryformatversion$/u,
  ],
  init: [/^core\./u, /^extensions\./u],
  merge: [WORKTREE_OF_SUBMODULE],
  mv: [WORKTREE_OF_SUBMODULE],
  pull: [TRACKING, WORKTREE_OF_SUBMODULE],
  push: [TRACKING],
  'read-tree': [WORKTREE_OF_SUBMODULE],
  rebase: [WORKTREE_OF_SUBMODULE],
  remote: [/^remote\./u, TRACKING],
  reset: [WORKTREE_OF_SUBMODULE],
  'sparse-checkout': [TREES],
  submodule: [/^submodule\./u],
  switch: [TRACKING, WORKTREE_OF_SUBMODULE],
  worktree: [TRACKING, TREES],
};
/** A submodule's own repository, which is set up as a clone is. */
const OF_SUBMODULE = /^(?:remote|branch|core|extensions|submodule)\./u;

export interface SettingsLeft {
  readonly before: string | null;
  readonly after: string | null;
  /** Null: the person let the command write to `.git`, whatever it is. */
  readonly commands: GitCommands | null;
  /** The repository was made by the command: nothing of it was anybody's. */
  readonly isNew: boolean;
  readonly isSubmodule: boolean;
}

/** Whether what differs is what Git writes by itself when it is asked for this, and does nothing that was not there before. */
export function isWrittenByGit({ before, after, commands, isNew, isSubmodule }: SettingsLeft): boolean {
  const differ = findHarmlessDifferences(before, after, isSubmodule);
  if (differ === null) return false;
  if (isNew || commands === null) return true;
  const [was, is] = [before, after].map((text) => parseGitConfig(text ?? '') ?? []);
  return differ.every(
    ({ setting, added }) =>
      commands.some((words) => isWrittenBy(words, setting, isSubmodule)) &&
      (!added || isHarmlessTarget(setting, was ?? [], is ?? [], commands, isSubmodule)),
  );
}

function isWrittenBy([subcommand = '']: readonly string[], setting: GitSetting, isSubmodule: boolean): boolean {
  const key = settingKey(setting);
  const written = Object.hasOwn(WRITTEN_BY, subcommand) ? (WRITTEN_BY[subcommand] ?? []) : [];
  return (
    written.some((each) => each.test(key)) || (isSubmodule && subcommand === 'submodule' && OF_SUBMODULE.test(key))
  );
}

/** An address was one before, or stands in the command's own words; a remote that is named is one of those. */
function isHarmlessTarget(
  setting: GitSetting,
  was: readonly GitSetting[],
  is: readonly GitSetting[],
  commands: GitCommands,
  isSubmodule: boolean,
): boolean {
  const key = settingKey(setting);
  const { value } = setting;
  const isSaid = value !== null && commands.some((words) => words.includes(value));
  if (/^remote\.\*\.(?:url|pushurl)$/u.test(key)) {
    const ofSubmodule = isSubmodule && commands.some(([subcommand]) => subcommand === 'submodule');
    return (
      isSaid || ofSubmodule || was.some((each) => each.section === 'remote' && isAddress(each) && each.value === value)
    );
  }
  if (/^branch\.\*\.(?:remote|pushremote)$|^remote\.pushdefault$/u.test(key)) {
    return (
      isSaid || value === '.' || is.some((each) => each.section === 'remote' && each.sub === value && isAddress(each))
    );
  }
  return true;
}

const settingKey = ({ section, sub, name }: GitSetting): string =>
  sub === null ? `${section}.${name}` : `${section}.*.${name}`;
const isAddress = ({ name }: GitSetting): boolean => name === 'url' || name === 'pushurl';

/** Subcommands that go on later with a list of commits, which Git keeps meanwhile. */
const KEEPS_A_LIST: ReadonlySet<string> = new Set(['rebase', 'cherry-pick', 'revert', 'am', 'pull']);

/** The list of what `git rebase --continue` does next: commits of Git's own making, never a command line. */
export function isGitTodoList(after: string | null, commands: GitCommands | null): boolean {
  if (after === null) return true;
  const asked = commands === null || commands.some(([subcommand = '']) => KEEPS_A_LIST.has(subcommand));
  return asked && !after.split('\n').some((line) => /^\s*(?:exec|x)(?:\s|$)/u.test(line));
}
