import type { LeaveAllowance } from '../../../domain/sensitive/leave-allowance.js';
import { OBEYED_IN_GIT } from '../../../domain/sensitive/git-folder.js';
import { foldPath } from '../../../domain/sensitive/name-folding.js';
import { isQuarantined, isReadOnlyForCommands } from '../../../domain/sensitive/sensitive-places.js';
import type { ControlScan } from './scan-pass.js';
import { joinPath } from './raw-path.js';

/**
 * The number of read-only paths. Each takes a mount or more, and makes the command begin a little later. Changes past
 * the limit are quarantined afterwards all the same.
 */
const MAX_READ_ONLY_PATHS = 300;

/**
 * The paths that a confined command can't write to, absolute. Git's own folders are read-only whole for whatever is not
 * Git: what it obeys there may be made of new as well.
 */
export function listReadOnlyPaths(workspace: string, look: ControlScan, mayLeave: LeaveAllowance): readonly string[] {
  const folders = [...look.repositories].filter((path) => !isInAnother(path, look.repositories));
  const git = mayLeave.git
    ? []
    : folders.flatMap((path) => (isGitFolder(path) ? [path] : OBEYED_IN_GIT.map((member) => joinPath(path, member))));
  const others = [...look.places].filter(
    (path) =>
      (isGitFolder(path) ? !mayLeave.git : !isQuarantined(path) || isReadOnlyForCommands(path)) &&
      !isNamed(path, mayLeave.named),
  );
  // A name that is no text can't be given to the program that mounts.
  const named = [...git, ...others].filter((path) => path.isWellFormed());
  return named.slice(0, MAX_READ_ONLY_PATHS).map((path) => `${workspace}/${path}`);
}

const isGitFolder = (path: string): boolean => /(?:^|\/)\.git$/u.test(path);

const isInAnother = (path: string, repositories: ReadonlySet<string>): boolean =>
  [...repositories].some((each) => path.startsWith(`${each}/`));

function isNamed(path: string, named: readonly string[]): boolean {
  const place = foldPath(path);
  return named
    .map(foldPath)
    .some((each) => each === place || each.startsWith(`${place}/`) || place.startsWith(`${each}/`));
}
