import { constants } from 'node:fs';
import { sha256 } from '../../platform/digest.js';
import type { DirectoryHandle } from '../handles/directory-handle.js';
import type { FileStatus } from '../handles/file-status.js';
import type { SafeFile } from '../handles/safe-file.js';
import { errnoOf } from '../handles/unsafe-path-error.js';
import type { DiskAccess } from './transaction-steps.js';
import { LARGEST_FILE, inMib } from '../../domain/size-bounds.js';

/** The file or link at a name now. */
export type CurrentNode =
  | { readonly kind: 'file'; readonly sha256: string; readonly content: Uint8Array; readonly status: FileStatus }
  | { readonly kind: 'link'; readonly target: string }
  | null;

/** The file or link that is to be there. */
export type WantedNode =
  | {
      readonly kind: 'file';
      readonly content: Uint8Array;
      readonly sha256: string;
      /** Null: what a new file gets here (the umask's choice). */
      readonly mode: number | null;
      readonly owner: { readonly uid: number; readonly gid: number } | null;
    }
  | { readonly kind: 'link'; readonly target: string };

/** Looks at a name without following it. A regular file must be one that may be written to, unless only read. */
export async function readNode(folder: DirectoryHandle, name: string, access: 'read' | 'write'): Promise<CurrentNode> {
  let file: SafeFile;
  try {
    file = await folder.openFile(name, access === 'write' ? constants.O_RDWR : constants.O_RDONLY);
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return null;
    const link = await linkAt(folder, name);
    if (link !== null) return link;
    throw error;
  }
  try {
    return { kind: 'file', ...(await readAll(file)), status: file.facts };
  } finally {
    await file.close();
  }
}

async function linkAt(folder: DirectoryHandle, name: string): Promise<CurrentNode> {
  if ((await folder.lstat(name)).kind !== 'symlink') return null;
  return { kind: 'link', target: Buffer.from(await folder.readlink(name)).toString('utf8') };
}

async function readAll(file: SafeFile): Promise<{ readonly content: Buffer; readonly sha256: string }> {
  // One byte more than it said shows that it grows.
  const buffer = Buffer.allocUnsafe(Math.min(file.facts.size, LARGEST_FILE) + 1);
  let length = 0;
  while (length < buffer.byteLength) {
    const room = buffer.byteLength - length;
    const bytes = await file.read(buffer.subarray(length), length);
    length += bytes;
    // A regular file gives less than was asked for only at its end.
    if (bytes < room) break;
  }
  if (length > LARGEST_FILE)
    throw Object.assign(new Error(`the file is larger than ${inMib(LARGEST_FILE)}`), { code: 'EFBIG' });
  const content = buffer.subarray(0, length);
  return { content, sha256: sha256(content) };
}

/** Makes `temp` hold what is wanted, complete and on the disk, with its mode and owner. */
export async function writeTemp(
  folder: DirectoryHandle,
  temp: string,
  wanted: WantedNode,
  disk: DiskAccess,
): Promise<void> {
  await disk.step('temp-create', temp);
  if (wanted.kind === 'link') {
    await folder.symlink(Buffer.from(wanted.target), temp);
    return;
  }
  const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL;
  // Never more than is wanted, not for a moment; the umask may still take something away.
  const file = await folder.openFile(temp, flags, wanted.mode === null ? 0o666 : wanted.mode & 0o777);
  try {
    await disk.step('temp-write', temp);
    await file.write(wanted.content, 0);
    const { owner, mode } = wanted;
    const otherOwner = owner !== null && (owner.uid !== file.facts.uid || owner.gid !== file.facts.gid);
    if (otherOwner) {
      await disk.step('temp-owner', temp);
      await file.chown(owner.uid, owner.gid);
    }
    // After the owner: changing that takes the set-id bits away.
    if (mode !== null && (otherOwner || mode !== file.facts.mode)) {
      await disk.step('temp-mode', temp);
      await file.chmod(mode);
    }
    await disk.step('temp-sync', temp);
    if (disk.durable) await file.sync();
  } finally {
    await file.close();
  }
}

const CANNOT_LINK = new Set(['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK']);

/** Gives `temp` its name. Where nothing may exist, nothing is replaced: not even what appeared this very moment. */
export async function placeTemp(
  folder: DirectoryHandle,
  temp: string,
  name: string,
  replaces: boolean,
  disk: DiskAccess,
): Promise<void> {
  await disk.step('place', name);
  if (replaces) {
    await folder.rename(temp, folder, name);
    return;
  }
  try {
    await folder.link(temp, folder, name);
  } catch (error) {
    if (!CANNOT_LINK.has(errnoOf(error) ?? '')) throw error;
    // A file system without hard links: look once more, then rename.
    if ((await readNode(folder, name, 'read')) !== null)
      throw Object.assign(new Error('it exists'), { code: 'EEXIST' });
    await folder.rename(temp, folder, name);
    return;
  }
  await disk.step('place-cleanup', temp);
  await folder.unlink(temp);
}

/** Removes a name of ours if it is there. */
export async function removeIfThere(folder: DirectoryHandle, name: string): Promise<void> {
  try {
    await folder.unlink(name);
  } catch (error) {
    if (errnoOf(error) !== 'ENOENT') throw error;
  }
}
