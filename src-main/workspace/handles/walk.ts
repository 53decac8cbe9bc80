import type { DirectoryHandle } from './directory-handle.js';
import { errnoOf } from './unsafe-path-error.js';

export interface WalkOptions {
  /** Create missing folders with this mode. */
  readonly create?: number;
  /** Told of each folder that was created, by its path from where the walk began. */
  readonly onCreated?: (relative: string) => void;
}

/** 'a/b/c' or '' to its parts. */
export const pathParts = (relative: string): readonly string[] => (relative === '' ? [] : relative.split('/'));

/** The folder a path is in, and its name there. Null for the root itself, which is in no folder of the jail. */
export function splitLast(relative: string): { readonly folder: string; readonly name: string } | null {
  if (relative === '') return null;
  const slash = relative.lastIndexOf('/');
  return { folder: slash < 0 ? '' : relative.slice(0, slash), name: relative.slice(slash + 1) };
}

/**
 * Goes down from an open root, one folder at a time, refusing links, and runs `work` in the folder that `relative` names.
 * Everything opened on the way is closed; the root stays the caller's.
 */
export async function walk<T>(
  root: DirectoryHandle,
  relative: string,
  work: (directory: DirectoryHandle) => Promise<T>,
  options: WalkOptions = {},
): Promise<T> {
  const parts = pathParts(relative);
  if (parts.length === 0) return work(root);
  const directory = await walkTo(root, relative, options);
  try {
    return await work(directory);
  } finally {
    await directory.close();
  }
}

/** Does what `walk` does, but returns the folder, for the caller to close. `relative` must not be ''. */
export async function walkTo(
  root: DirectoryHandle,
  relative: string,
  options: WalkOptions = {},
): Promise<DirectoryHandle> {
  let current = root;
  let path = '';
  for (const part of pathParts(relative)) {
    path = path === '' ? part : `${path}/${part}`;
    const parent = current;
    try {
      current = await step(parent, part, path, options);
    } finally {
      if (parent !== root) await parent.close();
    }
  }
  if (current === root) throw new TypeError('walkTo needs a path below the root');
  return current;
}

async function step(
  parent: DirectoryHandle,
  part: string,
  path: string,
  { create, onCreated }: WalkOptions,
): Promise<DirectoryHandle> {
  try {
    return await parent.openChild(part);
  } catch (error) {
    if (create === undefined || errnoOf(error) !== 'ENOENT') throw error;
  }
  try {
    await parent.mkdir(part, create);
    onCreated?.(path);
  } catch (error) {
    // Somebody made it meanwhile; whether it is a folder, opening it tells.
    if (errnoOf(error) !== 'EEXIST') throw error;
  }
  return parent.openChild(part);
}
