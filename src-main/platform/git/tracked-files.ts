import { join, relative, resolve, sep } from 'node:path';
import type { TrackedFiles } from '../../domain/commands/reading/folder.js';
import { findGitFolder } from './git-file.js';
import { readIndexNames } from './git-index.js';
import { listFoldersUp } from './repository-top.js';
import { unpatchedFs } from '../files/unpatched-fs.js';

const { lstatSync } = unpatchedFs;

/** Indexes that were read, by where they are. */
const MAX_CACHED_INDEXES = 8;

interface CachedIndex {
  readonly as: string;
  readonly names: readonly string[] | null;
}
const kept = new Map<string, CachedIndex>();

/**
 * Reads from its index which files the repository around a folder tracks; null where that can't be told, nothing where
 * there is none.
 */
export function readTrackedFiles(root: string, at: string): TrackedFiles | null {
  for (const top of listFoldersUp(resolve(root, at))) {
    const git = findGitFolder(top);
    if (git === 'none') continue;
    const names = git === null ? null : readCachedNames(git.at);
    const way = relative(root, top).split(sep).join('/');
    return names === null ? null : { top: way, files: way === '' ? names : relateNames(names, root, top) };
  }
  return { top: '', files: [] };
}

const WAYS = new WeakMap<readonly string[], Map<string, readonly string[]>>();

/** The same value for the same names: what looks through it does so once. */
function relateNames(names: readonly string[], root: string, top: string): readonly string[] {
  const ways = WAYS.get(names) ?? new Map<string, readonly string[]>();
  WAYS.set(names, ways);
  const known = ways.get(root) ?? names.map((name) => relative(root, join(top, name)).split(sep).join('/'));
  ways.set(root, known);
  return known;
}

function readCachedNames(git: string): readonly string[] | null {
  const path = join(git, 'index');
  try {
    const status = lstatSync(path, { throwIfNoEntry: false, bigint: true });
    if (status === undefined) return [];
    const as = `${status.ino} ${status.size} ${status.mtimeNs} ${status.ctimeNs}`;
    const known = kept.get(path);
    kept.delete(path);
    const names = known?.as === as ? known.names : readIndexNames(path);
    kept.set(path, { as, names });
    for (const oldest of kept.keys()) if (kept.size > MAX_CACHED_INDEXES) kept.delete(oldest);
    return names;
  } catch {
    return null;
  }
}
