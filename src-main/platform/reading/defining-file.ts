import { realpathSync } from 'node:fs';
import { digestFile } from './file-digest.js';

/**
 * A file that defines something, by its real path and its present content; one that can’t be read is none that was
 * accepted.
 */
export function describeDefiningFile(path: string): Readonly<Record<string, string>> {
  try {
    const real = realpathSync(path);
    return { [real]: digestFile(real) ?? 'unreadable' };
  } catch {
    return { [path]: 'missing' };
  }
}
