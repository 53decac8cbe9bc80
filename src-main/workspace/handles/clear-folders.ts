import { realpath } from 'node:fs/promises';
import type { ClearAbandonedFolders } from '../../domain/ports/workspace/clear-abandoned-folders.js';
import { DirectoryHandle } from './directory-handle.js';

const PRIVATE = 0o700;

export const clearFolders: ClearAbandonedFolders = async (parent, isAbandoned, isFileOfOurs) => {
  await using folder = await DirectoryHandle.openRoot(await realpath(parent));
  for await (const entries of folder.entries()) {
    for (const { name } of entries) {
      if (!isAbandoned(name)) continue;
      // Another start may be clearing too, or it is not ours to clear: either way it is nothing to stop for.
      await clear(folder, name, isFileOfOurs).catch(() => undefined);
    }
  }
};

async function clear(parent: DirectoryHandle, name: string, isFileOfOurs: (name: string) => boolean): Promise<void> {
  await using folder = await parent.openChild(name);
  const { uid, mode } = await folder.status();
  if (uid !== process.getuid?.() || mode !== PRIVATE) return;
  for await (const entries of folder.entries()) {
    for (const entry of entries) if (isFileOfOurs(entry.name)) await folder.unlink(entry.name);
  }
  await parent.rmdir(name);
}
