import { join, resolve } from 'node:path';
import { parseGitFile } from '../../domain/sensitive/git-folder.js';
import { readRegular } from '../files/regular-file.js';
import { unpatchedFs } from '../files/unpatched-fs.js';

/** No file of Git's that says where something is has more. */
const MAX_BYTES = 64 * 1024;

/** The text of a small file of Git's, without its last line break and not through a link; null where there is none. */
export function readGitText(path: string): string | null {
  const bytes = readRegular(path, MAX_BYTES);
  return bytes === null || bytes === 'absent' ? null : bytes.toString('utf8').replace(/[\r\n]+$/u, '');
}

/** Where a `.git` file says the repository is, from its folder; null where it says nothing of the kind. */
export function readGitFile(folder: string): string | null {
  const named = parseGitFile(readGitText(join(folder, '.git')) ?? '');
  return named === null ? null : resolve(folder, named);
}

/** The Git folder that the `.git` in a folder is, or says. Null where it can't be followed. */
export function findGitFolder(folder: string): { readonly at: string } | 'none' | null {
  const path = join(folder, '.git');
  try {
    const status = unpatchedFs.lstatSync(path, { throwIfNoEntry: false });
    if (status === undefined) return 'none';
    const at = status.isDirectory() ? path : readGitFile(folder);
    return at === null ? null : { at };
  } catch {
    return null;
  }
}
