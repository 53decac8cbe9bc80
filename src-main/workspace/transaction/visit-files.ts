import { forEachConcurrently } from '../../platform/for-each-concurrently.js';
import { DirectoryHandle } from '../handles/directory-handle.js';
import { errnoOf, UnsafePathError } from '../handles/unsafe-path-error.js';
import { pathParts, splitLast, walk } from '../handles/walk.js';

export interface FileInRoot {
  readonly root: string;
  /** The path from the root, with forward slashes. */
  readonly relative: string;
}

/** The folder a file is in, and its name there. */
export function splitFilePath(file: FileInRoot): { readonly folder: string; readonly name: string } {
  const split = splitLast(file.relative);
  if (split === null) throw new UnsafePathError('is-a-directory', file.relative, 'The workspace itself is a folder.');
  return split;
}

/** How many files of one folder are worked on together. Enough to let the disk sync them in one go. */
const AT_ONCE = 8;
const FOLDERS_AT_ONCE = 4;

/**
 * Does `work` on every file, folder by folder, each folder opened once from its root by a walk that follows no link.
 * `folder` is null where it is not there. Stops at the first failure, after what was under way has ended.
 */
export async function visitFiles<File extends FileInRoot>(
  files: readonly File[],
  work: (folder: DirectoryHandle | null, file: File, name: string) => Promise<void>,
  options: { readonly atOnce?: number; readonly after?: (folder: DirectoryHandle) => Promise<void> } = {},
): Promise<void> {
  for (const [root, ofRoot] of groupBy(files, (file) => file.root)) {
    await using rootHandle = await DirectoryHandle.openRoot(root);
    const atOnce = options.atOnce ?? AT_ONCE;
    const folders = [...groupBy(ofRoot, (file) => splitFilePath(file).folder)];
    await forEachConcurrently(folders, Math.min(atOnce, FOLDERS_AT_ONCE), ([folder, ofFolder]) =>
      enterFolder(rootHandle, folder, async (handle) => {
        await forEachConcurrently(ofFolder, atOnce, (file) => work(handle, file, splitFilePath(file).name));
        if (handle !== null) await options.after?.(handle);
      }),
    );
  }
}

async function enterFolder(
  root: DirectoryHandle,
  folder: string,
  work: (handle: DirectoryHandle | null) => Promise<void>,
): Promise<void> {
  let entered = false;
  try {
    await walk(root, folder, (handle) => {
      entered = true;
      return work(handle);
    });
  } catch (error) {
    if (entered || errnoOf(error) !== 'ENOENT') throw error;
    await work(null);
  }
}

/** The folders above these files that are missing, outermost first. */
export async function findMissingFolders(files: readonly FileInRoot[]): Promise<readonly FileInRoot[]> {
  const missing: FileInRoot[] = [];
  for (const [root, ofRoot] of groupBy(files, (file) => file.root)) {
    await using rootHandle = await DirectoryHandle.openRoot(root);
    const seen = new Set<string>();
    for (const file of ofRoot) {
      for (const folder of ancestorsOf(splitFilePath(file).folder)) {
        if (seen.has(folder)) continue;
        seen.add(folder);
        await enterFolder(rootHandle, folder, async (handle) => {
          if (handle === null) missing.push({ root, relative: folder });
        });
      }
    }
  }
  return missing;
}

/** The folders that may go with what is removed, innermost first; only those that are there. */
export async function findFoldersToPrune(
  files: readonly (FileInRoot & { readonly pruneFolders: number })[],
): Promise<readonly (FileInRoot & { readonly mode: number })[]> {
  const found = new Map<string, FileInRoot & { readonly mode: number }>();
  for (const file of files) {
    const chosen = ancestorsOf(splitFilePath(file).folder).toReversed().slice(0, file.pruneFolders);
    await using rootHandle = await DirectoryHandle.openRoot(file.root);
    for (const relative of chosen) {
      const key = `${file.root}\0${relative}`;
      if (found.has(key)) continue;
      await enterFolder(rootHandle, relative, async (handle) => {
        if (handle !== null) found.set(key, { root: file.root, relative, mode: (await handle.status()).mode });
      });
    }
  }
  return [...found.values()].toSorted((a, b) => pathParts(b.relative).length - pathParts(a.relative).length);
}

export function ancestorsOf(folder: string): readonly string[] {
  const parts = pathParts(folder);
  return parts.map((_, index) => parts.slice(0, index + 1).join('/'));
}

export function groupBy<T>(items: readonly T[], key: (item: T) => string): ReadonlyMap<string, readonly T[]> {
  return Map.groupBy(items, key);
}
