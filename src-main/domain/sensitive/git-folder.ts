/** What Git obeys in a folder that it takes for a repository's own. The rest of it is objects and names of commits. */
export const OBEYED_IN_GIT: readonly string[] = [
  'hooks',
  'config',
  'config.worktree',
  'commondir',
  'gitdir',
  'info/attributes',
  // Its lines may be commands, which `git rebase --continue` runs.
  'rebase-merge/git-rebase-todo',
  // What `git cherry-pick --continue` and its like do next.
  'sequencer',
];

/** In which Git keeps the repositories of submodules, and of further working trees. */
export const REPOSITORIES_IN_GIT: readonly string[] = ['modules', 'worktrees'];

/** Git comes with hooks that do nothing until they are given another name. */
export const isSampleHook = (name: string): boolean => name.endsWith('.sample');

/** Whether Git would take a folder with these names in it for a repository's own, whatever it is called. */
export const looksLikeRepository = (names: ReadonlySet<string>): boolean =>
  names.has('HEAD') && (names.has('commondir') || (names.has('objects') && names.has('refs')));

/** Where a `.git` file says the repository is; null where it says nothing of the kind. */
export const repositoryNamedBy = (text: string): string | null =>
  /^gitdir: ?([^\n\r]+?)[\n\r]*$/u.exec(text)?.[1] ?? null;
