import { basename, dirname, join, resolve, sep } from 'node:path';
import { readGitFile, readGitText } from './git-file.js';
import { listFoldersUp } from './repository-top.js';
import { unpatchedFs } from '../files/unpatched-fs.js';

const { lstatSync, realpathSync } = unpatchedFs;

/** A repository whose lists say what of its working tree is ignored. */
export interface Repository {
  /** The top folder of the working tree. */
  readonly top: string;
  /** Where its settings and its own list are: `.git`, or what a `.git` file leads to. */
  readonly common: string;
  /** The working tree's own Git folder; `common` where it is the only tree. */
  readonly own: string;
}

/**
 * The repositories that a folder lies in: those whose lists count. The innermost is Git's; one further out counts too where the
 * innermost is but a `.git` file, which anybody could write to be rid of the lists above it, unless that repository knows the file.
 * Null where a way in one of them is none that Git makes.
 */
export function findRepositories(folder: string): readonly Repository[] | null {
  const found: Repository[] = [];
  for (const top of listFoldersUp(folder)) {
    const git = join(top, '.git');
    const kind = kindOf(git);
    if (kind === 'absent') continue;
    const inside = found.at(-1);
    // The Git folder of the inner repository lies in this one: a working tree beside others, or a submodule.
    const isKnown = inside?.common === git || inside?.common.startsWith(`${git}${sep}`) === true;
    if (!isKnown) {
      const repository = kind === 'dir' ? { top, common: git, own: git } : kind === 'file' ? resolveGitFile(top) : null;
      if (repository === null) return null;
      found.push(repository);
    }
    if (kind === 'dir') return found;
  }
  return found;
}

/** Where a `.git` file leads, and only where what it leads to says that this file is its own. */
function resolveGitFile(top: string): Repository | null {
  const said = readGitFile(top);
  if (said === null) return null;
  try {
    const own = realpathSync(said);
    // A Git folder inside the working tree would let whoever writes there say what Git ignores.
    if (own.startsWith(`${realpathSync(top)}${sep}`)) return null;
    return readWorktree(top, own) ?? readSubmodule(top, own);
  } catch {
    return null;
  }
}

/** `git worktree add`: `<common>/worktrees/<name>`, with a file that leads back. */
function readWorktree(top: string, own: string): Repository | null {
  const back = readGitText(join(own, 'gitdir'));
  const to = readGitText(join(own, 'commondir'));
  if (back === null || to === null || basename(dirname(own)) !== 'worktrees') return null;
  const common = realpathSync(resolve(own, to));
  if (common !== dirname(dirname(own)) || !isSame(dirname(resolve(own, back)), top)) return null;
  return { top, common, own };
}

/** A submodule: `<outer>/.git/modules/<name>`, of a repository that it lies in. */
function readSubmodule(top: string, own: string): Repository | null {
  const outer = listFoldersUp(dirname(top)).find((folder) =>
    own.startsWith(`${join(folder, '.git', 'modules')}${sep}`),
  );
  return outer === undefined || readGitText(join(own, 'commondir')) !== null ? null : { top, common: own, own };
}

const isSame = (one: string, other: string): boolean => realpathSync(one) === realpathSync(other);

function kindOf(path: string): 'absent' | 'dir' | 'file' | 'other' {
  try {
    const status = lstatSync(path, { throwIfNoEntry: false });
    if (status === undefined) return 'absent';
    return status.isDirectory() ? 'dir' : status.isFile() ? 'file' : 'other';
  } catch {
    return 'other';
  }
}
