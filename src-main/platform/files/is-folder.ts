import { stat } from 'node:fs/promises';

/** Whether there is a folder now; false for a path that can't be read. */
export async function isFolder(path: string): Promise<boolean> {
  try {
    return (await stat(path)).isDirectory();
  } catch {
    return false;
  }
}
