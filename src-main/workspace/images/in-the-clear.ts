import { constants } from 'node:fs';
import { type FileHandle, open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { HEADER_BYTES } from './image-frame.js';
import { type ImageSealing, isSealed } from './image-sealing.js';
import { type ImageStore, readFrame, readIndex } from './image-store.js';

/**
 * How many bytes a segment has where an image in it stands in the clear and holds what looks like a secret, as they were kept
 * before images were sealed; 0 where none does.
 */
async function bytesInTheClear(file: string, sealing: ImageSealing): Promise<number> {
  let handle: FileHandle;
  try {
    handle = await open(file, constants.O_RDONLY);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return 0;
    throw error;
  }
  try {
    const { known, length } = await readIndex(handle);
    for (const { offset } of known.values()) if (await holdsSecret(handle, offset, sealing)) return length;
    return 0;
  } finally {
    await handle.close();
  }
}

/** Of all segments that no transaction needs. With `forget` those are removed: what they are of can't be undone any more. */
export async function allInTheClear(
  images: ImageStore,
  sealing: ImageSealing,
  { forget, inUse }: { readonly forget: boolean; readonly inUse: ReadonlySet<number> },
): Promise<number> {
  // The one that grows may be from before, too: where it is gone, the next opening begins another.
  if (forget) await images.discard();
  let total = 0;
  for (const segment of await images.segments()) {
    if (inUse.has(segment)) continue;
    const bytes = await bytesInTheClear(join(images.folderOf(segment), 'images'), sealing);
    if (bytes > 0 && forget) await rm(images.folderOf(segment), { recursive: true, force: true });
    total += bytes;
  }
  return total;
}

async function holdsSecret(handle: FileHandle, offset: number, sealing: ImageSealing): Promise<boolean> {
  const beginning = Buffer.alloc(4);
  await handle.read(beginning, 0, beginning.length, offset + HEADER_BYTES);
  if (isSealed(beginning)) return false;
  try {
    return await sealing.finds(await readFrame(handle, offset, sealing));
  } catch {
    // Damaged, it can't be looked into: what stands there may be anything.
    return true;
  }
}
