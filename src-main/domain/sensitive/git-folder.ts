import { foldPath } from './name-folding.js';

/**
 * The files that Git obeys in a folder that it takes for a repository's own. The rest of it is objects and names of
 * commits.
 */
export const OBEYED_IN_GIT: readonly string[] = [
  'hooks',
  'config',
  'config.worktree',
  'commondir',
  'gitdir',
  'info/attributes',
  // Lines of this list may be commands, which `git rebase --continue` runs.
  'rebase-merge/git-rebase-todo',
  // What `git cherry-pick --continue` and its like do next.
  'sequencer',
];

/** The folders in which Git keeps the repositories of submodules, and of further working trees. */
export const REPOSITORIES_IN_GIT: readonly string[] = ['modules', 'worktrees'];

/** Git comes with hooks that do nothing until they are given another name. */
export const isSampleHook = (name: string): boolean => name.endsWith('.sample');

/** Whether Git would take a folder with these names in it for a repository's own, whatever it is called. */
export const looksLikeRepository = (names: ReadonlySet<string>): boolean =>
  names.has('HEAD') && (names.has('commondir') || (names.has('objects') && names.has('refs')));

const OBEYED: readonly (readonly string[])[] = OBEYED_IN_GIT.map((member) => member.split('/'));
/** The folders that make a repository where a HEAD lies beside them. */
const COMPLETE: readonly (readonly string[])[] = [['objects'], ['refs']];
/** A folder counts with all that is in it; `config/x` is nothing of Git's. */
const FOLDERS: ReadonlySet<string> = new Set(['hooks', 'objects', 'refs']);

const isMember = (names: readonly string[], member: readonly string[]): boolean =>
  member.every((name, offset) => names[offset] === name) &&
  (names.length === member.length || FOLDERS.has(member.join('/')));

/**
 * Whether a file at this path is a part of what Git takes for a repository, or could become one, file by file: its HEAD; what
 * makes one of it; and what Git would obey in it, beside a HEAD or at the top of a folder that has no repository yet.
 * `stands` is asked about paths from the root.
 */
export function wouldMakeRepository(relative: string, stands: (path: string) => boolean): boolean {
  const names = relative.split('/');
  const folded = names.map(foldPath);
  if (folded.at(-1) === 'head') return true;
  return folded.some((_, at) => {
    const rest = folded.slice(at);
    const isObeyed = OBEYED.some((member) => isMember(rest, member));
    if (!isObeyed && !COMPLETE.some((member) => isMember(rest, member))) return false;
    if (stands([...names.slice(0, at), 'HEAD'].join('/'))) return true;
    return isObeyed && at === 0 && !stands('.git');
  });
}

/** Where a `.git` file says the repository is; null where it says nothing of the kind. */
export const parseGitFile = (text: string): string | null => /^gitdir: ?([^\n\r]+?)[\n\r]*$/u.exec(text)?.[1] ?? null;
