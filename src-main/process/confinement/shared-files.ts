import { lstatSync, type Stats } from 'node:fs';
import { dirname, join } from 'node:path';
import type { FileFacts } from '../../domain/ports/workspace/sandbox.js';
import { listNames } from '../../platform/files/resolve-path.js';

/**
 * The files that are read-only to a command because they have other names outside: whatever is written to them is
 * written there too.
 */
export interface SharedFiles {
  /** The paths from the workspace, with forward slashes. */
  readonly readOnly: readonly string[];
  /** Folders in them that tools write to, with nothing of others in them. */
  readonly own: readonly string[];
  /** Folders of dependencies too large to be looked at whole: a file in them may be somebody else's as well. */
  readonly unseen: readonly string[];
}

/** Every mount makes a command begin a little later. Past that whole folders are kept. */
const MAX_SINGLE_FILES = 64;

/**
 * A file can have several names (hard links). One that is outside is changed with the one in here: pnpm, bun and uv give all
 * projects the same files that way. No command can make such a name itself, since what is outside is another mount.
 */
export function findSharedFiles(
  workspace: string,
  listed: { readonly files: ReadonlyMap<string, FileFacts>; readonly folders: ReadonlyMap<string, number> },
): SharedFiles {
  const single = sharedAmong(listed.files);
  const looked = dependencies(workspace, [...listed.folders.keys()]).map((path) => ({
    path,
    ...checkFolder(workspace, path),
  }));
  const folders = looked.filter(({ shared }) => shared).map(({ path }) => path);
  const own = folders
    .flatMap((path) => WRITTEN_BY_TOOLS.map((name) => `${path}/${name}`))
    .filter((path) => isFolder(join(workspace, path)));
  const unseen = looked.filter(({ shared, whole }) => !shared && !whole).map(({ path }) => path);
  return { readOnly: [...folders, ...coarsen(single)], own, unseen };
}

/** The unread folders of dependencies at the top, for the approval sheet, before anything was listed. */
export const findUnreadDependencies = (workspace: string): readonly string[] =>
  findSharedFiles(workspace, { files: new Map(), folders: new Map() }).unseen;

/**
 * The files of which some name was not seen in here. A compiler links its own results, all in here: they are nobody
 * else's.
 */
function sharedAmong(files: ReadonlyMap<string, FileFacts>): readonly string[] {
  const several = [...files].filter(([, { kind, links }]) => kind === 'file' && links > 1);
  const byFile = Map.groupBy(several, ([, { device, inode }]) => `${device}:${inode}`);
  return [...byFile.values()]
    .filter((names) => names.length < (names[0]?.[1].links ?? 0))
    .flatMap((names) => names.map(([path]) => path));
}

/** Where there are many, the folders that hold them; where these are many, the topmost. */
function coarsen(paths: readonly string[]): readonly string[] {
  if (paths.length <= MAX_SINGLE_FILES) return paths;
  const holding = [...new Set(paths.map(dirname))];
  // What lies at the top is kept one by one: the workspace itself has to be writable.
  const top = paths.filter((path) => !path.includes('/'));
  const below = holding.filter((folder) => folder !== '.');
  if (below.length <= MAX_SINGLE_FILES) return [...top, ...below];
  return [...top, ...new Set(below.map((folder) => folder.split('/', 1)[0] ?? folder))];
}

const NAMES: readonly string[] = ['node_modules', '.venv', 'venv'];
const WRITTEN_BY_TOOLS: readonly string[] = ['.cache', '.vite', '.vitest', '.vite-temp', '.tmp'];
/** The packages searched in a repository of many. */
const MAX_PACKAGES = 200;

/** Folders of dependencies, which no listing enters: at the top, and in the packages of a repository of many. */
function dependencies(workspace: string, folders: readonly string[]): readonly string[] {
  const near = folders.filter((path) => path.split('/').length <= 2).slice(0, MAX_PACKAGES);
  return ['', ...near]
    .flatMap((folder) => NAMES.map((name) => (folder === '' ? name : `${folder}/${name}`)))
    .filter((path) => isFolder(join(workspace, path)));
}

/** The results of earlier searches, with a stamp that shows whether something was installed there since. */
const checkCache = new Map<string, SharingCheck & { readonly stamp: string }>();
const MAX_CACHED = 1000;

interface SharingCheck {
  readonly shared: boolean;
  readonly whole: boolean;
}

function checkFolder(workspace: string, relative: string): SharingCheck {
  const folder = join(workspace, relative);
  const stamp = ['', '.pnpm', '.modules.yaml', '.package-lock.json', 'pyvenv.cfg', ...sitePackages(folder)]
    .map((name) => factsOf(join(folder, name)))
    .map((facts) => `${facts?.ino}:${facts?.mtimeMs}`)
    .join();
  const before = checkCache.get(folder);
  if (before?.stamp === stamp) return before;
  if (checkCache.size >= MAX_CACHED) checkCache.clear();
  const linked = listSamples(folder).some((path) => (factsOf(path)?.nlink ?? 0) > 1);
  const looked = linked ? { shared: true, whole: false, stamp } : { ...searchFolder(folder), stamp };
  checkCache.set(folder, looked);
  return looked;
}

/** A few milliseconds, once. Past it nothing is known of what was linked one by one. */
const MAX_NAMES = 2000;

/**
 * Searches the whole folder. Files that installers link among their own packages have all their names in here, and are
 * nobody else's.
 */
function searchFolder(folder: string): SharingCheck {
  const names = new Map<string, { seen: number; readonly links: number }>();
  const waiting = [folder];
  let left = MAX_NAMES;
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    for (const name of listNames(next)) {
      if ((left -= 1) < 0) return { shared: false, whole: false };
      const path = join(next, name);
      const facts = factsOf(path);
      if (facts?.isDirectory() === true) waiting.push(path);
      if (facts?.isFile() !== true || facts.nlink < 2) continue;
      const key = `${facts.dev}:${facts.ino}`;
      names.set(key, { seen: (names.get(key)?.seen ?? 0) + 1, links: facts.nlink });
    }
  }
  return { shared: [...names.values()].some(({ seen, links }) => seen < links), whole: true };
}

/** A sample of one file of each package: who links files of a package links all of them. */
function listSamples(folder: string): readonly string[] {
  const inModules = (modules: string): string[] =>
    listNames(modules).flatMap((name) =>
      name.startsWith('@')
        ? listNames(join(modules, name)).map((inner) => join(modules, name, inner, 'package.json'))
        : [join(modules, name, 'package.json')],
    );
  const pnpm = join(folder, '.pnpm');
  return [
    ...inModules(folder),
    ...listNames(pnpm).flatMap((name) => inModules(join(pnpm, name, 'node_modules'))),
    ...sitePackages(folder).flatMap((place) =>
      listNames(join(folder, place)).flatMap((name) =>
        ['METADATA', '__init__.py'].map((file) => join(folder, place, name, file)),
      ),
    ),
  ];
}

/** The package folders of a virtual environment of Python. */
const sitePackages = (folder: string): readonly string[] =>
  listNames(join(folder, 'lib'))
    .filter((name) => name.startsWith('python'))
    .map((name) => join('lib', name, 'site-packages'));

/** Not through a link: where it leads is somewhere else. */
function isFolder(path: string): boolean {
  return factsOf(path)?.isDirectory() === true;
}

/** Null where nothing is, or a file is where a folder would be (`node_modules/.package-lock.json`). */
function factsOf(path: string): Stats | null {
  try {
    return lstatSync(path);
  } catch {
    return null;
  }
}
