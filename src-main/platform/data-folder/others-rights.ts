import { chmodSync, lstatSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';

const WRITABLE_BY_OTHERS = 0o022;
const WRITABLE_BY_ALL = 0o002;
/** Where everybody may make names and nobody may move those of others (/tmp). */
const STICKY = 0o1000;
/** The system's own, which stay everybody's. */
const SHARED: readonly string[] = ['/tmp', '/var/tmp', '/dev/shm'];

/**
 * Takes from others the right to write in the data folder. Whoever can write there decides for the person: its
 * settings, its rules, who has a token. Another user of the machine could where it was made under a loose umask, or by
 * them. So the right is taken from others, and the folder is refused where that can't be done, or where they may
 * already have left something. Gives why, in words; null where it is the person's alone. `isOurs` knows the names of
 * the app's own data. Rights to read stay: each file says for itself who may read it. On Windows nothing of this is
 * checked.
 */
export function revokeOthersRights(folder: string, isOurs: (path: string) => boolean): string | null {
  const us = process.getuid?.();
  if (us === undefined) return null;
  const facts = lstatSync(folder);
  if (facts.uid !== us) return 'it belongs to somebody else';
  // A disk of its own that was just mounted looks like this too, and has nothing in it but what is meant for us.
  const isShared = (facts.mode & STICKY) !== 0;
  if (isShared && (SHARED.includes(folder) || !readdirSync(folder).every((name) => isOurs(join(folder, name)))))
    return 'it is a folder that is shared with everybody';
  // First, so that nothing can come while it is looked at.
  if (!closes(folder)) return 'others may write there, and that can’t be taken from them';
  for (const name of readdirSync(folder)) {
    const path = join(folder, name);
    const entry = lstatSync(path, { throwIfNoEntry: false });
    if (entry === undefined || entry.isSymbolicLink()) continue;
    if (entry.uid !== us && entry.uid !== ROOT) return `${JSON.stringify(name)} in it belongs to somebody else`;
    if (entry.uid === us && !entry.isSocket() && !closes(path))
      return `others may write to ${JSON.stringify(name)} in it, and that can’t be taken from them`;
  }
  return null;
}

/** A folder above in which everybody may write, and so put another data folder in place of this one; null where none is. */
export function findOpenAncestor(folder: string): string | null {
  if (process.getuid === undefined) return null;
  return listAncestors(folder).find((each) => isOpenToAll(each)) ?? null;
}

const ROOT = 0;

/** Whether nobody else may write there by now. Some file systems keep no rights, and take every wish without a word. */
function closes(path: string): boolean {
  const { mode } = lstatSync(path);
  if ((mode & WRITABLE_BY_OTHERS) === 0) return true;
  chmodSync(path, mode & 0o7777 & ~(WRITABLE_BY_OTHERS | STICKY));
  return (lstatSync(path).mode & WRITABLE_BY_OTHERS) === 0;
}

function isOpenToAll(folder: string): boolean {
  const { mode } = lstatSync(folder);
  return (mode & WRITABLE_BY_ALL) !== 0 && (mode & STICKY) === 0;
}

function listAncestors(path: string): readonly string[] {
  const parent = dirname(path);
  return parent === path ? [] : [parent, ...listAncestors(parent)];
}
