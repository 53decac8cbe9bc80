import { existsSync, statSync } from 'node:fs';
import { basename, dirname, isAbsolute, join, resolve } from 'node:path';
import { realPathOf } from '../../platform/files/resolve-path.js';

/** Names that mark a folder as one program’s, with what it needs beside it. */
const MARKS = ['package.json', 'pyproject.toml', 'pyvenv.cfg', 'setup.py', 'Cargo.toml', 'go.mod', 'deno.json'];
const CODE = /\.(?:[cm]?[jt]sx?|py|pyz|rb|sh|jar|php|pl|lua|exe)$/iu;

export const isCode = (path: string): boolean => CODE.test(path);

export interface OwnPlaces {
  readonly homes: readonly string[];
  readonly hidden: readonly string[];
  /** Left out: nowhere. What tools may write to is no system’s, wherever it lies. */
  readonly mayBeWritten?: (path: string) => boolean;
}

/** A word of a command that is a path, and the places that it brings with it. */
export interface NamedPlace {
  /** The index of the word, with the command itself as the first. */
  readonly at: number;
  /** The path as the word has it, made absolute. */
  readonly path: string;
  readonly kind: 'file' | 'folder';
  /** Canonical: its own folder, or itself. Of a folder none: that is what it is to work on. */
  readonly place: string | null;
  /** The paths by which it is reached: on the way there may be links. */
  readonly reads: readonly string[];
  /** True where its own folder is more than its own, and so is left out of these. */
  readonly lacksFolder: boolean;
}

/**
 * The parts of a command’s words that are its own program: the folder that it lies in, with what it loads from there.
 * Of other files that are named, the file alone; of folders nothing, since they are what it is to work on.
 */
export function findNamedPlaces(
  command: string,
  args: readonly string[],
  cwd: string | null,
  own: OwnPlaces,
): readonly NamedPlace[] {
  return [command, ...args].flatMap((word, at): readonly NamedPlace[] => {
    const path = pathIn(word, at, cwd);
    const kind = path === null ? null : kindAt(path);
    if (path === null || kind === null) return [];
    if (kind === 'folder') return at === 0 ? [] : [{ at, path, kind, place: null, reads: [], lacksFolder: false }];
    if (at > 0 && !isCode(path))
      return [{ at, path, kind, place: realPathOf(path), reads: [path], lacksFolder: false }];
    const { folder, isMore } = programFolder(realPathOf(path), own, at === 0);
    const place = folder === null ? realPathOf(path) : realPathOf(folder);
    return [{ at, path, kind, place, reads: [...new Set([path, place])], lacksFolder: isMore }];
  });
}

/** Absolute ones, and those from a home folder, wherever in it they are: `-I/path`, `file:///path`, `. "$HOME/path"`. */
export const findPathsIn = (text: string, homes: readonly string[] = []): readonly string[] =>
  [...text.matchAll(/((?:~|\$HOME|\$\{HOME\})["']?)?(\/[^\s:;,='"`<>|&()[\]{}]*)/gu)].flatMap(([, home, path = '']) => {
    const absolute = path.replace(/^\/+/u, '/');
    return home === undefined ? [absolute] : homes.map((each) => `${each}${absolute}`);
  });

/** Relative ones, there or not: `lib:../lib`, also right behind the letter of an option (`-I../lib`). */
export const findRelativePathsIn = (text: string, cwd: string): readonly string[] =>
  text
    .split(/[\s:;,='"`<>|&()[\]{}]+/u)
    .map((word) => word.replace(/^-\w/u, ''))
    .filter((word) => word !== '' && !isAbsolute(word))
    .map((word) => resolve(cwd, word));

/** The folder that it is started in, where that is not more than its own. */
export function ownWorkingFolder(cwd: string | null, own: OwnPlaces): string | null {
  return cwd === null || !existsSync(cwd) || isTooMuch(realPathOf(cwd), own) ? null : cwd;
}

/** A path, or one behind an option’s “=”. */
function pathIn(word: string, at: number, cwd: string | null): string | null {
  const [, ofOption] = /^--?[\w-]+=(.+)$/su.exec(word) ?? [];
  const named = at > 0 ? (ofOption ?? word) : word;
  if (isAbsolute(named)) return named;
  // The name of a program is looked up in PATH.
  if (cwd === null || (at === 0 && !named.includes('/')) || named.startsWith('-') || named === '') return null;
  return resolve(cwd, named);
}

interface OwnProgramFolder {
  /** Null where it would be more than the program’s own. */
  readonly folder: string | null;
  /** True where the marker of a program’s folder lies in one that is more than its own. */
  readonly isMore: boolean;
}

function programFolder(path: string, own: OwnPlaces, isCommand: boolean): OwnProgramFolder {
  const [before, ...rest] = path.split('/node_modules/');
  if (rest.length > 0 && before !== undefined && !isTooMuch(join(before, 'node_modules'), own))
    return { folder: join(before, 'node_modules'), isMore: false };
  let marked = dirname(path);
  while (marked !== '/' && !isMarked(marked)) marked = dirname(marked);
  if (marked !== '/' && !isTooMuch(marked, own)) return { folder: marked, isMore: false };
  const folder = dirname(path);
  // Programs of the system are there for everybody, and in a folder of many there are others beside it.
  const isShared = isSystemPath(folder, own) || (isCommand && basename(folder) === 'bin');
  const isNone = folder === '/' || isTooMuch(folder, own) || isShared;
  return { folder: isNone ? null : folder, isMore: marked !== '/' && !isSystemPath(path, own) };
}

const isMarked = (folder: string): boolean => MARKS.some((name) => existsSync(join(folder, name)));

/** Changed by the system’s own updates alone. */
export const isSystemPath = (path: string, { mayBeWritten }: OwnPlaces): boolean =>
  SYSTEM.test(path) && mayBeWritten?.(path) !== true;

const SYSTEM = /^\/(?:usr|bin|sbin|lib|lib64|opt|nix|gnu|snap|System|Applications)(?:\/|$)/u;

const holds = (folder: string, path: string): boolean => path === folder || path.startsWith(`${folder}/`);
const isTooMuch = (folder: string, { homes, hidden }: OwnPlaces): boolean =>
  [...homes, ...hidden].some((each) => holds(folder, realPathOf(each)));

/** Null for what no path can be, too: a word of a command may be a whole program. */
function kindAt(path: string): 'file' | 'folder' | null {
  try {
    const facts = statSync(path, { throwIfNoEntry: false });
    return facts?.isFile() === true ? 'file' : facts?.isDirectory() === true ? 'folder' : null;
  } catch {
    return null;
  }
}
