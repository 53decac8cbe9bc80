import { isMadeFolder } from '../../../domain/sensitive/made-folders.js';
import type { UnattendedWrites } from '../../../domain/policy/unattended.js';
import type { FileStatus } from '../../handles/file-status.js';
import { foldersAbove, type WorkspaceList } from '../workspace-list.js';
import type { HeldSnapshot } from '../snapshot/held-snapshot.js';
import type { IsTracked } from './tracked-files.js';

/** Every mount makes a command begin a little later. Past that the folders that hold them are read-only whole. */
const MAX_READ_ONLY_PATHS = 100;

interface WorkspaceBefore {
  readonly root: string;
  readonly list: WorkspaceList;
  readonly held: Pick<HeldSnapshot, 'isKept'>;
  readonly isTracked: IsTracked;
  readonly unasked: UnattendedWrites;
}

/**
 * The paths of a workspace that a command nobody was asked about can't write to: from the root, and '' for all of it.
 */
export interface UnrestorablePaths {
  /** The paths that could not be put back after it. */
  readonly readOnly: readonly string[];
  /** Folders of dependencies, build outputs and caches in what is read-only: writable all the same. */
  readonly own: readonly string[];
}

export function findUnrestorablePaths(standing: WorkspaceBefore): UnrestorablePaths {
  const { list } = standing;
  const unkept = [...list.files].filter(([path, status]) => !mayWrite(path, status, standing));
  const paths = [...unkept.map(([path, status]) => mountable(path, status, list)), ...list.unread];
  const isWhole = !list.complete || paths.includes('');
  const readOnly = isWhole ? [''] : coarsen([...new Set(paths)]);
  // One in which something must stay as it is stays so whole.
  const own = madeFolders(standing).filter(
    (folder) =>
      readOnly.some((path) => path === '' || folder.startsWith(`${path}/`)) &&
      !paths.some((path) => path === folder || path.startsWith(`${folder}/`)),
  );
  return { readOnly, own: own.slice(0, MAX_READ_ONLY_PATHS) };
}

/** The topmost ones. Where not all was listed, those whose contents are made by their names alone. */
function madeFolders({ list, unasked }: WorkspaceBefore): readonly string[] {
  const known = list.complete ? [...list.folders.keys(), ...list.notEntered.keys()] : [...list.notEntered.keys()];
  return known
    .filter((path) => isMadeFolder(path) && !foldersAbove(path).some(isMadeFolder) && !list.unnamable.has(path))
    .filter(
      (path) =>
        !unasked.deletes.some((each) => path === each || path.startsWith(`${each}/`) || each.startsWith(`${path}/`)),
    );
}

function mayWrite(
  path: string,
  status: FileStatus,
  { root, list, held, isTracked, unasked }: WorkspaceBefore,
): boolean {
  // Who may write there is decided by what its words are (read-only-paths.ts).
  if (isInGit(path)) return true;
  if (!list.unnamable.has(path) && isRestorable(status) && held.isKept(path, status)) return true;
  const isNamed = unasked.deletes.some((each) => path === each || path.startsWith(`${each}/`));
  return isMadeFolder(path) && !isNamed && !isTracked(`${root}/${path}`);
}

/**
 * Whether undo can restore such a file. One with other names may be changed where nobody looks; what is no file or link
 * can't be made again.
 */
export const isRestorable = ({ kind, links }: FileStatus): boolean =>
  kind === 'symlink' || (kind === 'file' && links === 1);

export const isInGit = (path: string): boolean => path.split('/').some((name) => name.toLowerCase() === '.git');

/** Itself, or the folder that holds it where it can't be mounted over: a link, or a name that is no text. */
function mountable(path: string, { kind }: FileStatus, { unnamable }: WorkspaceList): string {
  const isNamable = (each: string): boolean => !unnamable.has(each) && !each.includes('\ufffd');
  return kind !== 'symlink' && isNamable(path) ? path : (foldersAbove(path).findLast(isNamable) ?? '');
}

/** Where there are many, the folders that hold them; where these are many, the topmost. */
function coarsen(paths: readonly string[]): readonly string[] {
  if (paths.length <= MAX_READ_ONLY_PATHS) return paths;
  const holding = [...new Set(paths.map((path) => path.slice(0, Math.max(0, path.lastIndexOf('/')))))];
  if (!holding.includes('') && holding.length <= MAX_READ_ONLY_PATHS) return holding;
  const top = [...new Set(paths.map((path) => path.split('/', 1)[0] ?? path))];
  return top.length <= MAX_READ_ONLY_PATHS ? top : [''];
}
