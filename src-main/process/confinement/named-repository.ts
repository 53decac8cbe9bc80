import { lstatSync, readFileSync, realpathSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { OBEYED_IN_GIT, repositoryNamedBy } from '../../domain/sensitive/git-folder.js';
import { within } from './home-folder.js';

/** No file of Git's that says where something is has more. */
const LONGEST = 64 * 1024;

/**
 * The repository outside that a worktree's or a submodule's `.git` names, where that names the folder back: what a folder says of
 * itself alone opens nothing. Null where there is none.
 */
export function namedRepository(folder: string): string | null {
  const file = join(folder, '.git');
  const named = repositoryNamedBy(textOf(file) ?? '');
  if (named === null) return null;
  const own = realOf(resolve(folder, named));
  if (own === null || within(folder, own)) return null;
  const back = textOf(join(own, 'gitdir'))?.trim();
  if (back !== undefined && realOf(resolve(own, back)) === realOf(file)) {
    // Git keeps the folder of a worktree there and nowhere else.
    const common = realOf(resolve(own, textOf(join(own, 'commondir'))?.trim() ?? ''));
    const isIts = basename(dirname(own)) === 'worktrees' && dirname(dirname(own)) === common;
    return isIts && !within(folder, common) ? common : null;
  }
  const worktree = /^[ \t]*worktree[ \t]*=[ \t]*"?([^"\n\r]+?)"?[ \t]*$/imu.exec(
    textOf(join(own, 'config')) ?? '',
  )?.[1];
  return worktree !== undefined && realOf(resolve(own, worktree)) === folder ? own : null;
}

/** Read-only, or, to Git's own commands, writable but for what Git obeys. */
export function repositoryMounts(repository: string, access: 'read' | 'write'): readonly string[] {
  if (access === 'read') return ['--ro-bind', repository, repository];
  const obeyed = OBEYED_IN_GIT.map((member) => join(repository, member)).filter((path) => isThere(path));
  return ['--bind', repository, repository, ...obeyed.flatMap((path) => ['--ro-bind', path, path])];
}

function isThere(path: string): boolean {
  try {
    // A link would be mounted where it leads.
    return !lstatSync(path).isSymbolicLink();
  } catch {
    return false;
  }
}

function textOf(path: string): string | null {
  try {
    const facts = lstatSync(path);
    return facts.isFile() && facts.size <= LONGEST ? readFileSync(path, 'utf8') : null;
  } catch {
    return null;
  }
}

function realOf(path: string): string | null {
  try {
    return realpathSync(path);
  } catch {
    return null;
  }
}
