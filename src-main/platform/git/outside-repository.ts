import { basename, dirname, join, resolve, sep } from 'node:path';
import { readGitFile, readGitText } from './git-file.js';
import { resolvePath } from '../files/resolve-path.js';

export interface OutsideRepository {
  /** The part that the folder has for itself: its HEAD and its index. */
  readonly own: string;
  /** The part with branches, objects and settings: for a worktree a shared one, elsewhere. */
  readonly common: string;
}

/**
 * The repository outside that a worktree's or a submodule's `.git` names, where that names the folder back: what a folder says of
 * itself alone counts for nothing. Null where there is none.
 */
export function findOutsideRepository(folder: string): OutsideRepository | null {
  const named = readGitFile(folder);
  const own = named === null ? null : resolvePath(named);
  if (own === null || isIn(folder, own)) return null;
  const back = readGitText(join(own, 'gitdir'))?.trim();
  if (back !== undefined && resolvePath(resolve(own, back)) === resolvePath(join(folder, '.git'))) {
    // Git keeps the folder of a worktree there and nowhere else.
    const common = resolvePath(resolve(own, readGitText(join(own, 'commondir'))?.trim() ?? ''));
    const isIts = basename(dirname(own)) === 'worktrees' && dirname(dirname(own)) === common;
    return isIts && !isIn(folder, common) ? { own, common } : null;
  }
  const worktree = /^[ \t]*worktree[ \t]*=[ \t]*"?([^"\n\r]+?)"?[ \t]*$/imu.exec(
    readGitText(join(own, 'config')) ?? '',
  )?.[1];
  return worktree !== undefined && resolvePath(resolve(own, worktree)) === folder ? { own, common: own } : null;
}

const isIn = (folder: string, path: string): boolean => path === folder || path.startsWith(`${folder}${sep}`);
