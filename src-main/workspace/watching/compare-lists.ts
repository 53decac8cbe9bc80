import { lstat } from 'node:fs/promises';
import { join } from 'node:path';
import type { ChangedFile } from '#contract/vocabulary/calls.js';
import { type FileStatus, isSameState } from '../handles/file-status.js';
import { foldersAbove, LIST_BOUNDS, type ListBounds, listWorkspace, type WorkspaceList } from './workspace-list.js';

/** A path that is not as it was. */
export interface PathChange {
  readonly path: string;
  readonly change: ChangedFile['change'];
  readonly before: FileStatus | null;
  readonly after: FileStatus | null;
}

export interface PathChanges {
  readonly changed: readonly PathChange[];
  readonly complete: boolean;
}

export const MAX_REPORTED = 1000;

/** The changes between two lists. Claims nothing that an incomplete list can't know. */
export function compareLists(before: WorkspaceList, after: WorkspaceList): PathChanges {
  const changed: PathChange[] = [];
  for (const [path, now] of after.files) {
    const then = before.files.get(path);
    // With an incomplete list before, a file that is not in it may have been there.
    if (then === undefined) {
      if (before.complete && !isUnread(before, path)) {
        changed.push({ path, change: 'created', before: null, after: now });
      }
    } else if (!isSameState(then, now)) changed.push({ path, change: 'modified', before: then, after: now });
  }
  if (after.complete) {
    for (const [path, then] of before.files) {
      if (!after.files.has(path) && !isUnread(after, path)) {
        changed.push({ path, change: 'deleted', before: then, after: null });
      }
    }
  }
  changed.sort(byPath);
  return { changed, complete: before.complete && after.complete };
}

/** Folders that were not there before; none is known to be new where an incomplete look may have missed it. */
export const listNewFolders = (before: WorkspaceList, after: WorkspaceList): readonly string[] =>
  before.complete ? [...after.folders.keys()].filter((folder) => !before.folders.has(folder)) : [];

/**
 * The changes since a moment, where no list from before exists (the app was not running meanwhile). Deleted files can't
 * be found this way, nor created ones told from modified ones where the file system keeps no time of birth.
 */
export async function changedSince(
  root: string,
  since: number,
  bounds: ListBounds = LIST_BOUNDS,
): Promise<{
  readonly changed: readonly ChangedFile[];
  readonly createdFolders: readonly string[];
  readonly complete: boolean;
}> {
  const list = await listWorkspace(root, bounds);
  const note = 'It changed after this call began, by it or by something else. What it was before was not kept.';
  const sinceNs = BigInt(Math.floor(since * 1000)) * 1000n;
  const changed: ChangedFile[] = [];
  for (const [path, { changedNs, bornNs }] of list.files) {
    if (changedNs < sinceNs) continue;
    changed.push({ path, change: bornNs >= sinceNs ? 'created' : 'modified', undoable: false, note });
  }
  changed.sort(byPath);
  const createdFolders: string[] = [];
  for (const folder of list.folders.keys()) {
    const facts = await lstat(join(root, folder), { bigint: true }).catch(() => null);
    if (facts !== null && facts.birthtimeNs >= sinceNs) createdFolders.push(folder);
  }
  const isAll = Math.max(changed.length, createdFolders.length) <= MAX_REPORTED;
  return {
    changed: changed.slice(0, MAX_REPORTED),
    createdFolders: createdFolders.slice(0, MAX_REPORTED),
    complete: list.complete && isAll,
  };
}

const isUnread = ({ unread }: WorkspaceList, path: string): boolean =>
  unread.size > 0 && (unread.has('') || foldersAbove(path).some((folder) => unread.has(folder)));

const byPath = (a: { readonly path: string }, b: { readonly path: string }): number => (a.path < b.path ? -1 : 1);
