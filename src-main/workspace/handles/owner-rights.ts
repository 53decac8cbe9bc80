import { unpatchedFs } from '../../platform/files/unpatched-fs.js';

const { chmodSync, closeSync, constants, fstatSync, openSync, readlinkSync } = unpatchedFs;

export const READ_RIGHTS = 0o500;
export const WRITE_RIGHTS = 0o700;

/**
 * Gives the owner of a folder back what was taken from them: who owns it may always do that, so nobody gains by it. True where
 * something was lacking, and the folder is ours and really at this canonical path. Nothing to root, who needs no such right.
 */
export function grantOwnerRights(path: string | Buffer, rights: number): boolean {
  const us = process.getuid?.();
  if (us === undefined || us === 0 || process.platform !== 'linux') return false;
  let folder: number;
  try {
    folder = openSync(path, O_PATH | constants.O_NOFOLLOW | constants.O_DIRECTORY);
  } catch {
    return false;
  }
  try {
    const { uid, mode } = fstatSync(folder);
    if (uid !== us || (mode & rights) === rights) return false;
    const held = `/proc/self/fd/${folder}`;
    if (!readlinkSync(held, 'buffer').equals(Buffer.from(path as string))) return false;
    chmodSync(held, (mode & 0o7777) | rights);
    return true;
  } catch {
    return false;
  } finally {
    closeSync(folder);
  }
}

/** Opens nothing, and so needs no right to it: only says which one is meant. Node has no name for it. */
const O_PATH = 0o10000000;
