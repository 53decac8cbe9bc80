import { resolve } from 'node:path';
import type { ToolLeftState } from '../../../domain/ports/workspace/command-undo.js';
import type { KnownState, ChangeToQuarantine } from '../../../domain/ports/workspace/quarantine-store.js';
import type { LeaveAllowance } from '../../../domain/sensitive/leave-allowance.js';
import { parseGitFile } from '../../../domain/sensitive/git-folder.js';
import { isWrittenByGit, type GitCommands, isGitTodoList } from '../../../domain/sensitive/git-work.js';
import { isSubmodule, isWorktree } from './git/repository-kinds.js';
import { foldPath } from '../../../domain/sensitive/name-folding.js';

export interface ControlChanges {
  readonly root: string;
  readonly before: ReadonlyMap<string, KnownState>;
  readonly after: ReadonlyMap<string, KnownState>;
  /** The repository outside that the root is a working tree of. */
  readonly outside: string | null;
  readonly repositoriesBefore: ReadonlySet<string>;
  readonly repositories: ReadonlySet<string>;
  readonly mayLeave: readonly LeaveAllowance[];
  /**
   * The state in which a file tool left the file meanwhile: its call was decided by itself, so exactly that state may
   * be there.
   */
  readonly leftByTool: (path: string) => ToolLeftState | null | undefined;
  /** The text of small files only. */
  readonly textBefore: (path: string) => Promise<string | null>;
  readonly textAfter: (path: string) => string | null;
}

/** The changes that may not stay, in the order of the paths. */
export async function findForbiddenChanges(left: ControlChanges): Promise<readonly ChangeToQuarantine[]> {
  const found: ChangeToQuarantine[] = [];
  for (const path of [...new Set([...left.before.keys(), ...left.after.keys()])].toSorted()) {
    const [was, is] = [left.before.get(path), left.after.get(path)];
    const byTool = left.leftByTool(path);
    if (isNamed(path, left.mayLeave)) continue;
    if (byTool === undefined ? isSame(was, is) : isAsTheToolLeftIt(byTool, was, is)) continue;
    if (is === undefined && wentWithItsRepository(path, left)) continue;
    if (await isGitsOwnWork(path, left)) continue;
    found.push({ path, change: was === undefined ? 'created' : is === undefined ? 'deleted' : 'modified' });
  }
  return found;
}

function isSame(was: KnownState | undefined, is: KnownState | undefined): boolean {
  if (was === is) return true;
  if (was === undefined || is === undefined) return false;
  if (was.kind === 'link') return is.kind === 'link' && was.target === is.target;
  return was.kind === 'file' && is.kind === 'file' && was.sha256 === is.sha256 && was.mode === is.mode;
}

/** A program nobody asked about could come from a mode as well: what the tool did not say of it is as it was. */
function isAsTheToolLeftIt(
  tool: ToolLeftState | null,
  was: KnownState | undefined,
  is: KnownState | undefined,
): boolean {
  if (tool === null || is === undefined) return tool === null && is === undefined;
  if (tool.kind === 'link') return is.kind === 'link' && is.target === tool.target;
  if (is.kind !== 'file' || is.sha256 !== tool.sha256) return false;
  if (tool.mode !== null) return is.mode === tool.mode;
  return was?.kind === 'file' ? is.mode === was.mode : (is.mode & RUNS) === 0;
}

const RUNS = 0o7111;

function isNamed(path: string, mayLeave: readonly LeaveAllowance[]): boolean {
  const folded = foldPath(path);
  return mayLeave.some(({ named }) =>
    named.map(foldPath).some((each) => folded === each || folded.startsWith(`${each}/`)),
  );
}

/**
 * Whether Git wrote the file by itself in its ordinary work, or as part of a new repository: remotes, branches and
 * defaults. Such a file does nothing that was not there before.
 */
async function isGitsOwnWork(path: string, left: ControlChanges): Promise<boolean> {
  const repository = repositoryOf(path, left.repositories);
  const byGit = left.mayLeave.some(({ git }) => git);
  if (repository === null) return isGitFile(path) && byGit && leadsToOwn(path, left);
  if (!byGit && left.repositoriesBefore.has(repository)) return false;
  const member = repository === '' ? path : path.slice(repository.length + 1);
  switch (member) {
    case 'config':
    case 'config.worktree':
      return isWrittenByGit({
        before: await left.textBefore(path),
        after: left.textAfter(path),
        commands: gitCommands(left.mayLeave),
        isNew: !left.repositoriesBefore.has(repository),
        isSubmodule: isSubmodule(repository, left.repositories),
      });
    case 'commondir':
      return isWorktree(repository) && left.textAfter(path)?.trim() === '../..';
    case 'gitdir':
      return isWorktree(repository);
    case 'rebase-merge/git-rebase-todo':
      return byGit && isGitTodoList(left.textAfter(path), gitCommands(left.mayLeave));
    default:
      return (
        member.startsWith('sequencer/') && byGit && isGitTodoList(left.textAfter(path), gitCommands(left.mayLeave))
      );
  }
}

/** The Git commands of all commands that run; null where one is unknown. */
function gitCommands(mayLeave: readonly LeaveAllowance[]): GitCommands | null {
  const byGit = mayLeave.filter(({ git }) => git).map((each) => each.gitCommands);
  return byGit.includes(null) ? null : byGit.flatMap((each) => each ?? []);
}

/**
 * Whether the whole repository is gone: nothing that Git could obey is left, and half a repository put back would be
 * worse than none.
 */
function wentWithItsRepository(path: string, left: ControlChanges): boolean {
  const repository = repositoryOf(path, left.repositoriesBefore);
  // In the root there is more than the repository.
  return repository !== null && repository !== '' && !left.repositories.has(repository);
}

const isGitFile = (path: string): boolean => /(?:^|\/)\.git$/u.test(path);

/** The innermost. */
function repositoryOf(path: string, repositories: ReadonlySet<string>): string | null {
  for (let end = path.lastIndexOf('/'); end > 0; end = path.lastIndexOf('/', end - 1)) {
    if (repositories.has(path.slice(0, end))) return path.slice(0, end);
  }
  return repositories.has('') ? '' : null;
}

/** A submodule's or a working tree's: the repository is in that of the workspace, where it is looked at as well. */
function leadsToOwn(path: string, left: ControlChanges): boolean {
  if (!left.after.has(path)) return true;
  const leadsTo = parseGitFile(left.textAfter(path) ?? '');
  if (leadsTo === null) return false;
  const target = resolve(left.root, path, '..', leadsTo);
  if (left.outside !== null && isWorktree(target) && target.startsWith(`${left.outside}/worktrees/`)) return true;
  const inside = target.slice(left.root.length + 1);
  return /(?:^|\/)\.git\/(?:modules|worktrees)\//u.test(inside) && left.repositories.has(inside);
}
