import type { NamedFile } from '../../../domain/commands/reading/reading.js';
import type { NamedFilesState } from '../../../domain/ports/workspace/named-files.js';
import type { WatchedFolder } from '../../../domain/ports/workspace/workspace-watch.js';
import { isMadeFolder } from '../../../domain/sensitive/made-folders.js';
import { KEPT_OF_A_FILE } from '../../../domain/size-bounds.js';
import type { FileStatus } from '../../handles/file-status.js';
import { foldersAbove, KEEPING_BOUNDS, listWorkspace, type WorkspaceList } from '../workspace-list.js';
import { isSecretPath } from '../secret-path.js';
import { SNAPSHOT_BOUNDS } from '../snapshot/workspace-snapshot.js';
import { UNDO_REFUSALS } from '../undo-refusals.js';
import { createTrackedTest } from './tracked-files.js';
import { isInGit, isRestorable } from './unrestorable-paths.js';

/** More than a person would look through. */
const MAX_NAMED = 1000;

/**
 * Finds the files at the paths that a command names, and those of them that would have no copy. Null where they are too
 * many to be known.
 */
export async function inspectNamedFiles(
  place: WatchedFolder,
  named: readonly NamedFile[],
  hidden: readonly string[],
): Promise<NamedFilesState | null> {
  if (named.length === 0) return { notKept: [], tracked: [], stands: [] };
  if (named.length > MAX_NAMED) return null;
  const list = await listWorkspace(place.root, KEEPING_BOUNDS, hidden);
  if (!list.complete || list.unread.size > 0) return null;
  const isTracked = createTrackedTest();
  const fits = [...list.files.values()].reduce((sum, { size }) => sum + Math.min(size, KEPT_OF_A_FILE), 0);
  const isFull = fits > SNAPSHOT_BOUNDS.maxBytes;
  const notKept = new Map<string, string>();
  const tracked = new Set<string>();
  const stands = new Set<string>();
  for (const { path, does } of named) {
    const wanted = buildMatcher(path);
    for (const [file, status] of list.files) {
      if (!wanted(file)) continue;
      stands.add(file);
      if (isTracked(`${place.root}/${file}`)) tracked.add(file);
      const why = explainNotKept(file, status, list, place) ?? (isFull ? UNDO_REFUSALS.full : null);
      // What is only written to in what is made anew needs no copy; what is deleted by name does.
      if (why !== null && (does === 'deletes' || !isMadeFolder(file))) notKept.set(file, why);
    }
    for (const folder of list.notEntered.keys()) {
      if (!wanted(folder) && !isBelow(path, folder)) continue;
      stands.add(folder);
      if (does === 'deletes') notKept.set(folder, UNDO_REFUSALS['not-listed']);
    }
  }
  return {
    notKept: [...notKept].map(([path, why]) => ({ path, why })),
    tracked: [...tracked],
    stands: [...stands].toSorted(),
  };
}

function explainNotKept(
  path: string,
  status: FileStatus,
  { unnamable }: WorkspaceList,
  place: WatchedFolder,
): string | null {
  if (isInGit(path)) return UNDO_REFUSALS['in-git'];
  if (unnamable.has(path)) return UNDO_REFUSALS.unnamable;
  if (isSecretPath(path, place)) return UNDO_REFUSALS.secret;
  if (!isRestorable(status)) return status.kind === 'file' ? UNDO_REFUSALS['hard-links'] : UNDO_REFUSALS.special;
  return status.size > KEPT_OF_A_FILE ? UNDO_REFUSALS['too-large'] : null;
}

/** The path itself, what is in it, and what a pattern stands for: in a name `*` and `?` stand for what they do in a shell, and more. */
function buildMatcher(path: string): (file: string) => boolean {
  if (path === '' || path === '.') return () => true;
  const names = path.split('/').map(nameTest);
  return (file) => {
    const parts = file.split('/');
    return parts.length >= names.length && names.every((test, at) => test(parts[at] ?? ''));
  };
}

function nameTest(name: string): (part: string) => boolean {
  if (!/[*?[\]{}]/u.test(name)) return (part) => part === name;
  // What else a pattern can hold is taken for anything: more is looked at than it means.
  const source = name
    .replaceAll(/\[[^\]]*\]|\{[^}]*\}|[*?[\]{}]/gu, '*')
    .split('*')
    .map((part) => RegExp.escape(part))
    .join('.*');
  const pattern = new RegExp(`^${source}$`, 'su');
  return (part) => pattern.test(part);
}

const isBelow = (path: string, folder: string): boolean => path === folder || foldersAbove(path).includes(folder);
