import { dirname, join, relative, resolve, sep } from 'node:path';
import type { TrackedFiles } from '../../../domain/commands/reading/folder.js';
import { parseGitFile } from '../../../domain/sensitive/git-folder.js';
import { parseGitIndex } from './git-index.js';
import { readRegular } from '../regular-file.js';
import { listFoldersUp } from './repository-top.js';
import { unpatchedFs } from '../unpatched-fs.js';

const { lstatSync } = unpatchedFs;

const MAX_INDEX_BYTES = 64 * 2 ** 20;
const MAX_GIT_FILE_BYTES = 4096;
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
    const git = findRepository(top);
    if (git === 'none') continue;
    const names = git === null ? null : readCachedNames(git.at);
    const way = relative(root, top).split(sep).join('/');
    return names === null ? null : { top: way, files: way === '' ? names : relateNames(names, root, top) };
  }
  return { top: '', files: [] };
}

function findRepository(top: string): { readonly at: string } | 'none' | null {
  const git = join(top, '.git');
  try {
    const status = lstatSync(git, { throwIfNoEntry: false });
    if (status === undefined) return 'none';
    if (status.isDirectory()) return { at: git };
    const text = readRegular(git, MAX_GIT_FILE_BYTES);
    const said = text === null || text === 'absent' ? null : parseGitFile(text.toString('utf8'));
    return said === null ? null : { at: resolve(top, said.trim()) };
  } catch {
    return null;
  }
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
    const names = known?.as === as ? known.names : readNames(path);
    kept.set(path, { as, names });
    for (const oldest of kept.keys()) if (kept.size > MAX_CACHED_INDEXES) kept.delete(oldest);
    return names;
  } catch {
    return null;
  }
}

function readNames(path: string): readonly string[] | null {
  const bytes = readRegular(path, MAX_INDEX_BYTES);
  if (bytes === 'absent') return [];
  const read = bytes === null ? null : parseGitIndex(bytes);
  if (read === null || read.shared === null) return read?.names ?? null;
  const shared = readRegular(join(dirname(path), `sharedindex.${read.shared}`), MAX_INDEX_BYTES);
  const more = shared === null || shared === 'absent' ? null : parseGitIndex(shared);
  return more === null ? null : [...new Set([...read.names, ...more.names])];
}
