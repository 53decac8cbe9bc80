import { foldersAbove } from '../workspace-list.js';
import type { ControlScan } from './scan-pass.js';

/**
 * A change that none of the commands can have made: the file was read-only to each of them, it is the same file still, and it
 * has no other name by which one could have written to it. Whoever put another in its place took what held it away as well.
 */
export function isMadeByOthers(
  path: string,
  before: ControlScan,
  now: ControlScan,
  readOnly: readonly (readonly string[])[],
): boolean {
  const [was, is] = [before.found.get(path), now.found.get(path)];
  if (was?.kind !== 'file' || is?.kind !== 'file' || readOnly.length === 0) return false;
  if (was.device !== is.device || was.inode !== is.inode || was.links !== 1 || is.links !== 1) return false;
  const ways = new Set([path, ...foldersAbove(path)]);
  return readOnly.every((paths) => paths.some((each) => ways.has(each)));
}
