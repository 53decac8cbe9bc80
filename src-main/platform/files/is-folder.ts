import { stat } from 'node:fs/promises';

/** Whether there is a folder now; what can't be looked at is none. */
export async function isFolder(path: string): Promise<boolean> {
  try {
    return (await stat(path)).isDirectory();
  } catch {
    return false;
  }
}
