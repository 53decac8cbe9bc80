import { readFile, rm, stat } from 'node:fs/promises';
import type { Redactor } from '../../domain/ports/redactor.js';
import { storedFile } from './output-places.js';

/** A stored output that is longer is taken for one that holds some: it is not looked through. */
const LONGEST = 16 * 1024 * 1024;

/** How many bytes a stored output has where what looks like a secret stands in it; 0 where none does, or it is gone. */
export async function bytesInTheClear(dataDir: string, sha256: string, redactor: Redactor): Promise<number> {
  const file = storedFile(dataDir, sha256);
  const facts = await stat(file).catch(() => null);
  if (facts === null) return 0;
  return facts.size > LONGEST || (await redactor.finds(await readFile(file))) ? facts.size : 0;
}

export const forgetOutput = (dataDir: string, sha256: string): Promise<void> =>
  rm(storedFile(dataDir, sha256), { force: true });
