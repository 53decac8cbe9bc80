import type { WorkspaceList } from '../workspace-list.js';
import { foldersAbove } from '../workspace-list.js';
import type { ControlScan } from './scan-pass.js';

/** The file lists from before each of the commands that run; null where one of them has none. */
export type FileListsBefore = readonly (WorkspaceList | null)[];

/** Whether a path is scanned only since a setting names it: it may have existed all the time. */
export function isNewlyNamed(path: string, before: ControlScan, now: ControlScan): boolean {
  return now.byName.has(path) && !before.found.has(path) && !before.named.has(path) && !isBelow(path, before.named);
}

const isBelow = (path: string, named: ReadonlySet<string>): boolean =>
  named.has('') || foldersAbove(path).some((folder) => named.has(folder));

/** Null where it can't be told. */
export function existedBefore(path: string, lists: FileListsBefore): boolean | null {
  let isKnown = lists.length > 0;
  for (const list of lists) {
    if (list?.files.has(path) === true) continue;
    const above = foldersAbove(path);
    const isCertain =
      list !== null && list.complete && !above.some((folder) => list.unread.has(folder) || list.notEntered.has(folder));
    if (isCertain && !list.unread.has('')) return false;
    isKnown = false;
  }
  return isKnown ? true : null;
}
