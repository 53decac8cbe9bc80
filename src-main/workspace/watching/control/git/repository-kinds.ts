/** The repository of a working tree that Git keeps in another's. */
export const isWorktree = (repository: string): boolean => /(?:^|\/)worktrees\/[^/]+$/u.test(repository);

/** The repository of a submodule that Git keeps in another's: of one of these. */
export function isSubmodule(repository: string, repositories: ReadonlySet<string>): boolean {
  const names = repository.split('/');
  return names.some(
    (name, at) => name === 'modules' && at < names.length - 1 && repositories.has(names.slice(0, at).join('/')),
  );
}
