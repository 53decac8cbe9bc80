import { basename, dirname, join, resolve, sep } from 'node:path';
import { repositoryNamedBy } from '../../domain/sensitive/git-folder.js';
import { unpatchedFs } from './unpatched-fs.js';
import { whereLeads } from './where-leads.js';

const { lstatSync, readFileSync } = unpatchedFs;

/** No file of Git's that says where something is has more. */
const LONGEST = 64 * 1024;

export interface RepositoryOutside {
  /** The part that the folder has for itself: its HEAD and its index. */
  readonly own: string;
  /** The part with branches, objects and settings: for a worktree a shared one, elsewhere. */
  readonly common: string;
}

/**
 * The repository outside that a worktree's or a submodule's `.git` names, where that names the folder back: what a folder says of
 * itself alone counts for nothing. Null where there is none.
 */
export function repositoryOutside(folder: string): RepositoryOutside | null {
  const file = join(folder, '.git');
  const named = repositoryNamedBy(textOf(file) ?? '');
  if (named === null) return null;
  const own = whereLeads(resolve(folder, named));
  if (own === null || isIn(folder, own)) return null;
  const back = textOf(join(own, 'gitdir'))?.trim();
  if (back !== undefined && whereLeads(resolve(own, back)) === whereLeads(file)) {
    // Git keeps the folder of a worktree there and nowhere else.
    const common = whereLeads(resolve(own, textOf(join(own, 'commondir'))?.trim() ?? ''));
    const isIts = basename(dirname(own)) === 'worktrees' && dirname(dirname(own)) === common;
    return isIts && !isIn(folder, common) ? { own, common } : null;
  }
  const worktree = /^[ \t]*worktree[ \t]*=[ \t]*"?([^"\n\r]+?)"?[ \t]*$/imu.exec(
    textOf(join(own, 'config')) ?? '',
  )?.[1];
  return worktree !== undefined && whereLeads(resolve(own, worktree)) === folder ? { own, common: own } : null;
}

const isIn = (folder: string, path: string): boolean => path === folder || path.startsWith(`${folder}${sep}`);

function textOf(path: string): string | null {
  try {
    const facts = lstatSync(path);
    return facts.isFile() && facts.size <= LONGEST ? readFileSync(path, 'utf8') : null;
  } catch {
    return null;
  }
}
