import { lstatSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { OBEYED_IN_GIT } from '../../domain/sensitive/git-folder.js';
import type { OutsideRepository } from '../../platform/git/outside-repository.js';
import { listNames } from '../../platform/files/resolve-path.js';

/** Read-only, or, to Git's own commands, writable but for what Git obeys, and for what is of other working trees. */
export function repositoryMounts({ own, common }: OutsideRepository, access: 'read' | 'write'): readonly string[] {
  if (access === 'read') return ['--ro-bind', common, common];
  const obeyed = OBEYED_IN_GIT.map((member) => join(common, member));
  return [
    '--bind',
    common,
    common,
    ...readOnly(obeyed),
    // What says where a repository is can't be moved away with its folder.
    ...(own === common ? [] : [dirname(own), own].flatMap((path) => ['--bind', path, path])),
    ...(own === common
      ? []
      : readOnly([
          ...OBEYED_IN_WORKTREE.map((member) => join(own, member)),
          ...listNames(dirname(own))
            .map((name) => join(dirname(own), name))
            .filter((path) => path !== own),
          // A worktree has its submodules in its own folder.
          join(common, 'modules'),
        ])),
  ];
}

const OBEYED_IN_WORKTREE = ['commondir', 'gitdir', 'config.worktree'];

const readOnly = (paths: readonly string[]): readonly string[] =>
  paths.filter(isThere).flatMap((path) => ['--ro-bind', path, path]);

function isThere(path: string): boolean {
  try {
    // A link would be mounted where it leads.
    return !lstatSync(path).isSymbolicLink();
  } catch {
    return false;
  }
}
