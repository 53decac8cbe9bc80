import { open, readFile, rename, rm, stat } from 'node:fs/promises';

/** Ten thousand vectors of the longest kind there is in use. */
const MAX_BYTES = 64 * 1024 * 1024;

/** Reads cached bytes that can be made again; null where there are none that can be read. */
export async function readCachedBytes(path: string): Promise<Uint8Array | null> {
  try {
    return (await stat(path)).size > MAX_BYTES ? null : await readFile(path);
  } catch {
    return null;
  }
}

/** Replaces a file atomically: it holds all of the new or all of the old bytes. Rejects where it can't be written. */
export async function writeCachedBytes(path: string, bytes: Uint8Array): Promise<void> {
  const temporary = `${path}.${process.pid}.new`;
  try {
    const file = await open(temporary, 'w', 0o600);
    try {
      await file.writeFile(bytes);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(temporary, path);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
}
