import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import {
  closeSync,
  fsyncSync,
  mkdtempSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';

const MAX_BYTES = 4 * 1024 * 1024;

/** The text of one of the app's own small files; null where it is missing or can't be read. */
export function readSmallFile(path: string, most = MAX_BYTES): string | null {
  try {
    return statSync(path).size > most ? null : readFileSync(path, 'utf8');
  } catch {
    return null;
  }
}

/**
 * Replaces a file atomically: it holds all of the new or all of the old text, whatever happens meanwhile, and nobody
 * else reads it. Throws where it can't be written.
 */
export function replaceSmallFile(path: string, text: string): void {
  const temporary = `${path}.${process.pid}.new`;
  try {
    rmSync(temporary, { force: true });
    writeFileSync(temporary, text, { flag: 'wx', mode: 0o600, flush: true });
    renameSync(temporary, path);
    syncFolder(dirname(path));
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  }
}

/** Syncs a folder, so that a new name in it survives a power cut. Windows has no such thing, and needs none. */
export function syncFolder(folder: string): void {
  if (process.platform === 'win32') return;
  const handle = openSync(folder, 'r');
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}

export function temporaryFolder(prefix: string): { readonly path: string; readonly remove: () => void } {
  const path = mkdtempSync(join(tmpdir(), prefix));
  return { path, remove: () => rmSync(path, { recursive: true, force: true, maxRetries: 3 }) };
}
