import { createHash } from 'node:crypto';
import type { IndexEntry } from '../../../../platform/git/git-index.js';
import { unpatchedFs } from '../../../../platform/files/unpatched-fs.js';
import { DirectoryHandle } from '../../../handles/directory-handle.js';
import { walk } from '../../../handles/walk.js';

const { constants } = unpatchedFs;

const LOCK = 'index.lock';

/** The bytes before a name, where nothing more is said of it. */
const HEAD_BYTES = 62;

/**
 * Writes the index anew with these entries, under Git's own lock. What Git keeps in it to be quick is left out: Git makes it
 * again. `own`: the repository's folder, from the root; no link on the way is followed. False where somebody else writes it,
 * or it couldn't be written.
 */
export async function writeIndex(root: string, own: string, entries: readonly IndexEntry[]): Promise<boolean> {
  // A folder as an entry goes with what is left out.
  if (entries.some(({ mode }) => (mode & 0o170000) === 0o040000)) return false;
  await using top = await DirectoryHandle.openRoot(root);
  // Closed once it is over, and not before.
  return await walk(top, own, async (folder) => {
    const was = await folder.lstat('index');
    const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL;
    const file = await folder.openFile(LOCK, flags, was.mode & 0o777);
    try {
      await file.write(encodeIndex(entries), 0);
      if (was.uid !== file.facts.uid || was.gid !== file.facts.gid) await file.chown(was.uid, was.gid);
      await file.sync();
      await folder.rename(LOCK, folder, 'index');
      return true;
    } catch (error) {
      await folder.unlink(LOCK);
      throw error;
    } finally {
      await file[Symbol.asyncDispose]();
    }
  }).catch(() => false);
}

function encodeIndex(entries: readonly IndexEntry[]): Buffer {
  const isExtended = entries.some(({ head }) => head.length > HEAD_BYTES);
  const header = Buffer.alloc(12);
  header.write('DIRC', 'latin1');
  header.writeUInt32BE(isExtended ? 3 : 2, 4);
  header.writeUInt32BE(entries.length, 8);
  const sorted = entries.toSorted((one, other) => Buffer.compare(one.name, other.name) || one.stage - other.stage);
  const body = sorted.flatMap(({ head, name }) => {
    const length = head.length + name.length;
    return [head, name, Buffer.alloc(8 - (length % 8))];
  });
  const all = Buffer.concat([header, ...body]);
  return Buffer.concat([all, createHash('sha1').update(all).digest()]);
}
