import { isMadeByTools } from '../../domain/sensitive/sensitive-places.js';
import { isMadeFolder } from '../../domain/sensitive/made-folders.js';
import type { JailedDirectory, Sandbox } from '../../domain/ports/workspace/sandbox.js';
import { ToolFailure } from '../../domain/tool/tool.js';

const MAX_FOUND = 50;
/** Enough for a large folder; what lies deeper in a larger one is not offered. */
const MAX_VISITED = 50_000;

/** Files of a folder whose path has all the words, those that lie near first. */
export async function findFiles(sandbox: Sandbox, query: string): Promise<readonly string[]> {
  const words = query.toLowerCase().split(/\s+/u).filter(Boolean);
  const found: string[] = [];
  let looked = 0;
  let level = [''];
  while (level.length > 0 && looked < MAX_VISITED) {
    const next: string[] = [];
    for (const folder of level) {
      const { files, folders } = await namesIn(sandbox, folder);
      looked += files.length + folders.length;
      found.push(...files.filter((path) => hasAll(path, words)));
      next.push(...folders);
      if (looked >= MAX_VISITED) break;
    }
    level = next;
  }
  const byName = (path: string): number => (isOfName(path, words) ? 0 : 1);
  return found.sort((one, other) => byName(one) - byName(other)).slice(0, MAX_FOUND);
}

async function namesIn(
  sandbox: Sandbox,
  folder: string,
): Promise<{ readonly files: readonly string[]; readonly folders: readonly string[] }> {
  const files: string[] = [];
  const folders: string[] = [];
  try {
    const path = await sandbox.validate(folder === '' ? '.' : folder);
    await using directory = await sandbox.openDirectory(path);
    for await (const { name, nameBytes, kind: told } of flat(directory)) {
      const below = folder === '' ? name : `${folder}/${name}`;
      if (sandbox.isDenied(below, sandbox.workingDirectory)) continue;
      const kind = told ?? (await directory.facts(nameBytes)).kind;
      if (kind === 'file') files.push(below);
      else if (kind === 'dir' && name !== '.git' && !isMadeFolder(name) && !isMadeByTools(name)) folders.push(below);
    }
  } catch (error) {
    // Gone, or closed to us, by now: there is nothing of it to offer.
    if (!(error instanceof ToolFailure)) throw error;
  }
  return { files: files.sort(), folders: folders.sort() };
}

async function* flat(directory: JailedDirectory) {
  for await (const entries of directory.entries()) yield* entries;
}

const hasAll = (path: string, words: readonly string[]): boolean => {
  const lower = path.toLowerCase();
  return words.every((word) => lower.includes(word));
};

const isOfName = (path: string, words: readonly string[]): boolean =>
  hasAll(path.slice(path.lastIndexOf('/') + 1), words);
