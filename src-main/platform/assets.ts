import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** A file of the built window; null where there is none. The path was checked by who asks (window/app-protocol.ts). */
export async function readAsset(directory: string, path: string): Promise<Uint8Array | null> {
  try {
    return await readFile(join(directory, path));
  } catch {
    return null;
  }
}
