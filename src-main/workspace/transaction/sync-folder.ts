import { constants } from 'node:fs';
import { open } from 'node:fs/promises';

/** Names that were made or removed in this folder of ours are on the disk when this resolves. */
export async function syncFolder(folder: string): Promise<void> {
  if (process.platform === 'win32') return; // Windows has no fsync of folders; NTFS journals names itself.
  const handle = await open(folder, constants.O_RDONLY);
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
