import { accessSync, constants, readFileSync } from 'node:fs';

/** The text of a small file of the system or of ours. A missing file is an answer: null. */
export function readTextOrNull(path: string, encoding: 'utf8' | 'latin1' = 'utf8'): string | null {
  try {
    return readFileSync(path, encoding);
  } catch {
    return null;
  }
}

export const isExecutable = (path: string): boolean => isAllowed(path, constants.X_OK);
export const isWritable = (path: string): boolean => isAllowed(path, constants.W_OK);

function isAllowed(path: string, how: number): boolean {
  try {
    accessSync(path, how);
    return true;
  } catch {
    return false;
  }
}
