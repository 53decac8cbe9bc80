import type { DirectoryHandle } from '../../handles/directory-handle.js';
import { type FileStatus, isSameState } from '../../handles/file-status.js';
import { isSettled } from '../../handles/change-times.js';
import type { CopyPack } from './copy-pack.js';

/** A copy of a file or link, as it was when `status` was true of it. */
export type FileCopy = { readonly status: FileStatus; readonly settled: boolean } & (
  | { readonly kind: 'file'; readonly pack: CopyPack; readonly offset: number }
  | { readonly kind: 'link'; readonly target: string }
);

/**
 * Reads what was listed as `status`, and makes sure that it was that all the while. Null where it is something else by now,
 * a link that was put there meanwhile among others: then there is no copy, and no byte from elsewhere.
 */
export async function copyFile(
  folder: DirectoryHandle,
  name: string,
  status: FileStatus,
  pack: CopyPack,
): Promise<FileCopy | null> {
  // A copy of a file that changed just now is good enough for now, and is made anew the next time.
  const settled = isSettled(status.changedNs);
  if (status.kind === 'symlink') {
    const target = await readLinkTarget(folder, name, status);
    return target === null ? null : { kind: 'link', status, settled, target };
  }
  const content = await readUnchanged(folder, name, status);
  if (content === null) return null;
  return { kind: 'file', status, settled, pack, offset: await pack.append(content) };
}

/** The whole file, which must be the one that was listed before and after. */
export async function readUnchanged(folder: DirectoryHandle, name: string, status: FileStatus): Promise<Buffer | null> {
  await using file = await folder.openKnownFile(name);
  if (!isSameState(file.facts, status)) return null;
  const buffer = Buffer.allocUnsafe(status.size);
  for (let length = 0; length < buffer.byteLength;) {
    const bytes = await file.read(buffer.subarray(length), length);
    if (bytes === 0) return null;
    length += bytes;
  }
  return isSameState(await file.status(), status) ? buffer : null;
}

/** Null where it is no such link any more, or points to what is no valid text and could not be made again. */
export async function readLinkTarget(
  folder: DirectoryHandle,
  name: string,
  status: FileStatus,
): Promise<string | null> {
  const bytes = Buffer.from(await folder.readlink(name));
  if (!isSameState(await folder.lstat(name), status)) return null;
  const target = bytes.toString('utf8');
  return Buffer.from(target).equals(bytes) ? target : null;
}
