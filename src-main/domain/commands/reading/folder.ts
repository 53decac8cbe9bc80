import { isMadeByTools } from '../../sensitive/sensitive-places.js';
import { foldPath } from '../../sensitive/name-folding.js';

/** The folder that a command would run in, as a reading needs to know it at that moment. */
export interface Folder {
  /** Absolute; the first is where it runs. */
  readonly roots: readonly string[];
  /**
   * Lists all files, from the first root; of folders that tools made and of Git’s own only the folder itself, with a
   * `/` behind it. Null where there are too many.
   */
  files(): readonly string[] | null;
  /** Reads a small file, from the first root or, with `~/`, from the person’s home; null where there is none. */
  text(path: string): string | null;
  /** Lists the files that Git knows in the repository that holds a folder; null where that can’t be told. */
  tracked(at: string): TrackedFiles | null;
}

export interface TrackedFiles {
  /** The top of the working tree, from the first root: '' is that root. */
  readonly top: string;
  /** Paths from the first root, with `..` where they lie above it. The same value as long as nothing changed. */
  readonly files: readonly string[];
}

/** Files and folders that a glob stands for; null where they are not known. */
export function listMatches(folder: Folder, pattern: string): readonly string[] | null {
  const files = folder.files();
  // A `/` at the end means folders alone; they are found by what is in them.
  const plain = pattern.replace(/\/+$/u, '');
  const names = plain.split('/');
  const mayClimb = names.some((name) => name.startsWith('.') && compileGlob(name)('..'));
  if (files === null || names.some(isClosed) || mayClimb) return null;
  const found = new Set<string>();
  const test = compileGlob(plain);
  for (const file of files) {
    const parts = file.split('/');
    const closed = file.endsWith('/') ? parts.length - 1 : null;
    if (closed !== null && closed < names.length) {
      // What is in it is not known: only what is named there in full.
      if (!compileGlob(names.slice(0, closed).join('/'))(file.slice(0, -1))) continue;
      const rest = names.slice(closed).join('/');
      if (/[*?[]/u.test(rest)) return null;
      found.add(file + rest);
    } else if (parts.length >= names.length + (plain === pattern ? 0 : 1)) {
      const path = parts.slice(0, names.length).join('/');
      if (test(path)) found.add(path);
    }
  }
  return [...found];
}

/** Whether a folder is not looked through: Git’s own, and what tools made. */
const isClosed = (name: string): boolean => name === '.git' || isMadeByTools(name);

/** Parts of a listing that were asked for. */
const PARTS = new WeakMap<readonly string[], Map<string, readonly string[]>>();

/** Lists the files below a folder, and closed folders with a `/` behind them; null where they are not known. */
export function listBelow(folder: Folder, path: string): readonly string[] | null {
  if (path.split('/').some(isClosed)) return null;
  const files = folder.files();
  if (files === null || path === '' || path === '.') return files;
  let parts = PARTS.get(files);
  if (parts === undefined) PARTS.set(files, (parts = new Map<string, readonly string[]>()));
  const known = parts.get(path);
  if (known !== undefined) return known;
  const part = files.filter((file) => file === path || file.startsWith(`${path}/`));
  parts.set(path, part);
  return part;
}

/** Compiles a pattern as a shell takes it: no wildcard stands for a `/`, nor for a dot at the beginning of a name. */
export function compileGlob(pattern: string, dots = false): (path: string) => boolean {
  let source = '';
  let begins = true;
  for (let at = 0; at < pattern.length; at += 1) {
    const next = pattern[at] ?? '';
    const noDot = begins && !dots ? '(?!\\.)' : '';
    begins = next === '/';
    if (next === '*') {
      source += source.endsWith('[^/]*') ? '' : `${noDot}[^/]*`;
      begins = false;
    } else if (next === '?') source += `${noDot}[^/]`;
    else if (next === '[') {
      const set = /^\[([!^]?)(\]?[^\]]*)\]/u.exec(pattern.slice(at));
      if (set === null) source += '\\[';
      else {
        source += `${noDot}[${set[1] === '' ? '' : '^/'}${(set[2] ?? '').replaceAll(/[\\\]]/gu, '\\$&')}]`;
        at += set[0].length - 1;
      }
    } else if (next === '\\') {
      at += 1;
      source += RegExp.escape(pattern[at] ?? '');
    } else source += RegExp.escape(next);
  }
  try {
    const expression = new RegExp(`^${source}$`, 'iu');
    return (path) => expression.test(path) || expression.test(foldPath(path));
  } catch {
    return () => true;
  }
}
