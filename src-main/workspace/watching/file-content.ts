import { join } from 'node:path';
import type { ReadFileContent } from '../../domain/ports/given-text-log.js';
import { KEPT_OF_A_FILE } from '../../domain/size-bounds.js';
import { sha256 } from '../../platform/digest.js';
import { readRegular } from '../../platform/files/regular-file.js';
import { unpatchedFs } from '../../platform/files/unpatched-fs.js';

/** Reads what a file of a folder holds. Two larger files of one size are rare enough to be taken for the same. */
export const readFileContent: ReadFileContent = async (root, relative, isWanted) => {
  const path = join(root, relative);
  try {
    const status = unpatchedFs.lstatSync(path, { throwIfNoEntry: false });
    if (status?.isFile() !== true || status.size === 0 || !isWanted(status.size)) return null;
    if (status.size > KEPT_OF_A_FILE) return { size: status.size, sha256: null };
    const bytes = readRegular(path, KEPT_OF_A_FILE);
    return bytes === null || bytes === 'absent' ? null : { size: bytes.byteLength, sha256: sha256(bytes) };
  } catch {
    return null;
  }
};
