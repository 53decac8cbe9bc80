import type { ParsedArguments } from '../../programs/program.js';
import { listBelow, type Folder, type TrackedFiles } from '../folder.js';
import { filterSecrets } from '../places.js';

/** Files of secrets that Git knows and would show, by what limits it; null where that can’t be told. */
export function listTrackedSecrets(
  folder: Folder,
  cwd: string,
  given: ParsedArguments,
  limits: readonly (string | null)[],
): readonly string[] | null {
  const tracked = folder.tracked(cwd);
  if (tracked === null) return null;
  const secrets = filterSecrets(tracked.files);
  if (secrets.length === 0) return secrets;
  const specs = compilePathspecs(folder, cwd, given, limits).map((text) => compilePathspec(text, cwd, tracked));
  const isShown = specs.filter(({ excludes }) => !excludes);
  const isLeftOut = specs.filter(({ excludes }) => excludes);
  return secrets.filter(
    (file) =>
      (isShown.length === 0 || isShown.some(({ matches }) => matches === null || matches(file))) &&
      !isLeftOut.some(({ matches }) => matches?.(file) === true),
  );
}

/** The words that name files: what stands behind `--`, or what is no name of a commit since it stands in the folder. */
function compilePathspecs(
  folder: Folder,
  cwd: string,
  { all }: ParsedArguments,
  limits: readonly (string | null)[],
): readonly (string | null)[] {
  const dashes = all.indexOf('--');
  if (dashes >= 0) return all.slice(dashes + 1);
  return limits.filter((word) => word !== null && (/^:[(!^/]/u.test(word) || isThere(folder, cwd, word)));
}

function isThere(folder: Folder, cwd: string, word: string): boolean {
  const path = normalizePath(cwd, word);
  return path === '' || (listBelow(folder, path)?.length ?? 0) > 0;
}

interface Pathspec {
  readonly excludes: boolean;
  /** Null where only Git could tell. */
  readonly matches: ((file: string) => boolean) | null;
}

const UNKNOWN_PATHSPEC: Pathspec = { excludes: false, matches: null };

/** Compiles a pathspec as `gitglossary` defines it: `*` stands for a `/` as well, and a folder for what is in it. */
function compilePathspec(text: string | null, cwd: string, { top }: TrackedFiles): Pathspec {
  if (text === null) return UNKNOWN_PATHSPEC;
  const [, long, short = '', rest = ''] = /^(?::(?:\(([^)]*)\)|([!^/]+):?))?([\s\S]*)$/u.exec(text) ?? [];
  const words = new Set(long?.split(',') ?? short.split('').map((sign) => (sign === '/' ? 'top' : 'exclude')));
  const excludes = words.delete('exclude');
  const fromTop = words.delete('top');
  if (words.size > 0 || /[[\\]/u.test(rest)) return { ...UNKNOWN_PATHSPEC, excludes };
  const path = normalizePath(fromTop ? top : cwd, rest);
  if (!/[*?]/u.test(path))
    return { excludes, matches: (file) => path === '' || file === path || file.startsWith(`${path}/`) };
  const source = path
    .split(/([*?])/u)
    .map((part) => (part === '*' ? '[\\s\\S]*' : part === '?' ? '[\\s\\S]' : RegExp.escape(part)))
    .join('');
  const test = new RegExp(excludes ? `^${source}$` : `^${source}(?:/|$)`, 'u');
  return { excludes, matches: (file) => test.test(file) };
}

/** Normalizes a path from the first root, with `..` where it leads above it. */
function normalizePath(from: string, path: string): string {
  const names: string[] = [];
  for (const name of `${from}/${path}`.split('/')) {
    if (name === '..' && names.length > 0 && names.at(-1) !== '..') names.pop();
    else if (name !== '' && name !== '.') names.push(name);
  }
  return names.join('/');
}
