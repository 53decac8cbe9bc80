import { basename, dirname, join, resolve, sep } from 'node:path';
import { parseGitFile } from '../../domain/sensitive/git-folder.js';
import { unpatchedFs } from './unpatched-fs.js';
import { resolvePath } from './resolve-path.js';

const { lstatSync, readFileSync } = unpatchedFs;

/** No file of Git's that says where something is has more. */
const MAX_FILE_BYTES = 64 * 1024;

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
  const file = join(folder, '.git');
  const named = parseGitFile(readGitFile(file) ?? '');
  if (named === null) return null;
  const own = resolvePath(resolve(folder, named));
  if (own === null || isIn(folder, own)) return null;
  const back = readGitFile(join(own, 'gitdir'))?.trim();
  if (back !== undefined && resolvePath(resolve(own, back)) === resolvePath(file)) {
    // Git keeps the folder of a worktree there and nowhere else.
    const common = resolvePath(resolve(own, readGitFile(join(own, 'commondir'))?.trim() ?? ''));
    const isIts = basename(dirname(own)) === 'worktrees' && dirname(dirname(own)) === common;
    return isIts && !isIn(folder, common) ? { own, common } : null;
  }
  const worktree = /^[ \t]*worktree[ \t]*=[ \t]*"?([^"\n\r]+?)"?[ \t]*$/imu.exec(
    readGitFile(join(own, 'config')) ?? '',
  )?.[1];
  return worktree !== undefined && resolvePath(resolve(own, worktree)) === folder ? { own, common: own } : null;
}

const isIn = (folder: string, path: string): boolean => path === folder || path.startsWith(`${folder}${sep}`);

function readGitFile(path: string): string | null {
  try {
    const facts = lstatSync(path);
    return facts.isFile() && facts.size <= MAX_FILE_BYTES ? readFileSync(path, 'utf8') : null;
  } catch {
    return null;
  }
}
