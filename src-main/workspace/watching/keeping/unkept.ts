import { isMadeFolder } from '../../../domain/sensitive/made-folders.js';
import type { UnattendedWrites } from '../../../domain/policy/unattended.js';
import type { FileStatus } from '../../handles/file-status.js';
import { foldersAbove, type WorkspaceList } from '../list.js';
import type { HeldSnapshot } from '../snapshot/held-snapshot.js';
import type { IsTracked } from './git-index.js';

/** Every mount makes a command begin a little later. Past that the folders that hold them are read-only whole. */
const MOST = 100;

interface Standing {
  readonly root: string;
  readonly list: WorkspaceList;
  readonly held: Pick<HeldSnapshot, 'isKept'>;
  readonly isTracked: IsTracked;
  readonly unasked: UnattendedWrites;
}

/**
 * The paths of a workspace that a command nobody was asked about can't write to: from the root, and '' for all of it.
 */
export interface Unkept {
  /** The paths that could not be put back after it. */
  readonly readOnly: readonly string[];
  /** Folders of dependencies, build outputs and caches in what is read-only: writable all the same. */
  readonly own: readonly string[];
}

export function unkeptPaths(standing: Standing): Unkept {
  const { list } = standing;
  const unkept = [...list.files].filter(([path, status]) => !mayWrite(path, status, standing));
  const paths = [...unkept.map(([path, status]) => mountable(path, status, list)), ...list.unread];
  const isWhole = !list.complete || paths.includes('');
  const readOnly = isWhole ? [''] : few([...new Set(paths)]);
  // One in which something must stay as it is stays so whole.
  const own = madeFolders(standing).filter(
    (folder) =>
      readOnly.some((path) => path === '' || folder.startsWith(`${path}/`)) &&
      !paths.some((path) => path === folder || path.startsWith(`${folder}/`)),
  );
  return { readOnly, own: own.slice(0, MOST) };
}

/** The topmost ones. Where not all was listed, those whose contents are made by their names alone. */
function madeFolders({ list, unasked }: Standing): readonly string[] {
  const known = list.complete ? [...list.folders.keys(), ...list.notEntered.keys()] : [...list.notEntered.keys()];
  return known
    .filter((path) => isMadeFolder(path) && !foldersAbove(path).some(isMadeFolder) && !list.unnamable.has(path))
    .filter(
      (path) =>
        !unasked.deletes.some((each) => path === each || path.startsWith(`${each}/`) || each.startsWith(`${path}/`)),
    );
}

function mayWrite(path: string, status: FileStatus, { root, list, held, isTracked, unasked }: Standing): boolean {
  // Who may write there is decided by what its words are (read-only.ts).
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
function few(paths: readonly string[]): readonly string[] {
  if (paths.length <= MOST) return paths;
  const holding = [...new Set(paths.map((path) => path.slice(0, Math.max(0, path.lastIndexOf('/')))))];
  if (!holding.includes('') && holding.length <= MOST) return holding;
  const top = [...new Set(paths.map((path) => path.split('/', 1)[0] ?? path))];
  return top.length <= MOST ? top : [''];
}
