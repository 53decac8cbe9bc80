import { existsSync, realpathSync, statSync } from 'node:fs';
import { basename, dirname, isAbsolute, join, resolve } from 'node:path';

/** What says that a folder is one program’s, with what it needs beside it. */
const MARKS = ['package.json', 'pyproject.toml', 'pyvenv.cfg', 'setup.py', 'Cargo.toml', 'go.mod', 'deno.json'];
const CODE = /\.(?:[cm]?[jt]s|py|pyz|rb|sh|jar|php|pl|lua|exe)$/iu;

/**
 * What of a command’s words is its own program: the folder that it lies in, with what it loads from there. Of other files that
 * are named, the file alone; of folders nothing, since they are what it is to work on.
 */
export function ownFiles(
  command: string,
  args: readonly string[],
  cwd: string | null,
  { homes, hidden }: { readonly homes: readonly string[]; readonly hidden: readonly string[] },
): readonly string[] {
  const holds = (folder: string, path: string): boolean => path === folder || path.startsWith(`${folder}/`);
  const isTooMuch = (folder: string): boolean => [...homes, ...hidden].some((each) => holds(folder, real(each)));
  const found = [command, ...args].flatMap((word, at) => {
    const path = isAbsolute(word) ? word : cwd === null || !word.includes('/') ? null : resolve(cwd, word);
    if (path === null || !isFile(path)) return [];
    if (at > 0 && !CODE.test(path)) return [path];
    // Also as it is written: on the way there may be links.
    return [path, real(path)].map((each) => {
      const folder = programFolder(each, isTooMuch);
      return folder ?? each;
    });
  });
  const working = cwd === null || !existsSync(cwd) || isTooMuch(real(cwd)) ? [] : [cwd];
  return [...new Set([...found, ...working])];
}

/** Null where it would be more than the program’s own. */
function programFolder(path: string, isTooMuch: (folder: string) => boolean): string | null {
  const [before, ...rest] = path.split('/node_modules/');
  if (rest.length > 0 && before !== undefined) return join(before, 'node_modules');
  for (let folder = dirname(path); folder !== '/' && !isTooMuch(folder); folder = dirname(folder)) {
    if (MARKS.some((name) => existsSync(join(folder, name)))) return folder;
  }
  const folder = dirname(path);
  // Programs of the system are there for everybody.
  return folder === '/' ||
    isTooMuch(folder) ||
    /^\/(?:usr|bin|sbin|opt)(?:\/|$)/u.test(folder) ||
    basename(folder) === ''
    ? null
    : folder;
}

function isFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() === true;
}

function real(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}
