import { grantOwnerRights } from '../../handles/owner-rights.js';
import { joinPath, systemPath } from './raw-path.js';

/**
 * A folder that may be entered but not listed, or not changed, keeps us out of it, and not those who open what they know by
 * name in it (`.vscode/tasks.json`). A command may leave such ones, and go in and out of those that were there. So where a
 * folder of ours is in the way its owner's rights are given back, and stay. From the root down to `folder`; tells whether
 * anything was given.
 */
export function restoreOwnerRights(root: string, folder: string, rights: number): boolean {
  const names = folder === '' ? [] : folder.split('/');
  let opened = grantOwnerRights(systemPath(root), rights);
  let path = '';
  for (const name of names) {
    path = joinPath(path, name);
    opened = grantOwnerRights(systemPath(`${root}/${path}`), rights) || opened;
  }
  return opened;
}

export const parentFolder = (path: string): string => path.slice(0, Math.max(0, path.lastIndexOf('/')));
