import { dirname, join, sep } from 'node:path';
import { unpatchedFs } from '../../../platform/files/unpatched-fs.js';
import { findGitFolder } from '../../../platform/git/git-file.js';
import { type IndexEntry, readIndex } from '../../../platform/git/git-index.js';
import { listFoldersUp } from '../../../platform/git/repository-top.js';

const { lstatSync } = unpatchedFs;

/** Whether Git tracks a file, by its canonical path; a folder that it tracks something in is none. */
export type IsTracked = (path: string) => boolean;

const EVERYTHING = (): boolean => true;
const IS_FOLDER = 0o040000;

/**
 * Reads what repositories track from their indexes, as they are on the disk: Git itself is not run, since it would run
 * what the repository's settings say. Where an index can't be read for certain, everything counts as tracked.
 */
export function createTrackedTest(): IsTracked {
  const indexes = new Map<string, IsTracked>();
  const repositories = new Map<string, string | null>();
  const repositoryOf = (folder: string): string | null => {
    const known = repositories.get(folder);
    if (known !== undefined) return known;
    const found =
      listFoldersUp(folder).find((each) => lstatSync(join(each, '.git'), { throwIfNoEntry: false }) !== undefined) ??
      null;
    repositories.set(folder, found);
    return found;
  };
  return (path) => {
    const top = repositoryOf(dirname(path));
    if (top === null) return false;
    const isTracked = indexes.get(top) ?? readTracked(top);
    indexes.set(top, isTracked);
    const from = top.endsWith(sep) ? top : top + sep;
    return isTracked(path.slice(from.length).split(sep).join('/'));
  };
}

function readTracked(top: string): IsTracked {
  try {
    const git = findGitFolder(top);
    if (git === null || git === 'none') return EVERYTHING;
    const entries = readIndex(git.at);
    return entries === null ? EVERYTHING : buildTrackedTest(entries);
  } catch {
    return EVERYTHING;
  }
}

function buildTrackedTest(entries: readonly IndexEntry[]): IsTracked {
  const isFolder = ({ mode }: IndexEntry): boolean => (mode & 0o170000) === IS_FOLDER;
  const files = new Set(entries.filter((each) => !isFolder(each)).map(({ path }) => path));
  const folders = entries.filter(isFolder).map(({ path }) => path);
  return (path) => files.has(path) || folders.some((folder) => path.startsWith(folder));
}
