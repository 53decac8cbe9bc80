import { lstatSync, readlinkSync } from 'node:fs';
import { dirname, isAbsolute, join, parse, resolve } from 'node:path';

/**
 * Whether tools may write to what lies at this path, or may choose what lies there: it is in one of the folders or around one, or a
 * link on the way to it is. `folders`: those that are open and those that were.
 */
export function mayToolsWrite(path: string, folders: readonly string[]): boolean {
  const passed = followLinks(resolve(path));
  // More links than any path has: nobody can say where it leads.
  if (passed === null) return true;
  const last = passed.at(-1) ?? '';
  return folders
    .flatMap(namedAndRealPath)
    .some((folder) => isIn(last, folder) || passed.some((place) => isIn(folder, place)));
}

/** A path as it is named, and as it resolves. */
export function namedAndRealPath(path: string): readonly string[] {
  const named = resolve(path);
  return [...new Set([named, followLinks(named)?.at(-1) ?? named])];
}

const isIn = (folder: string, path: string): boolean => path === folder || path.startsWith(withSlash(folder));

const withSlash = (folder: string): string => (folder.endsWith('/') ? folder : `${folder}/`);

const MAX_LINKS = 40;

/** Collects every link on the way, and at the end its target. A path that does not exist is its own target. */
function followLinks(path: string): readonly string[] | null {
  const passed: string[] = [];
  const left = splitPath(path);
  let at = parse(path).root;
  while (left.length > 0) {
    const next = join(at, left.shift() ?? '');
    const target = readLinkTarget(next);
    if (target === null) {
      at = next;
      continue;
    }
    passed.push(next);
    if (passed.length > MAX_LINKS) return null;
    left.unshift(...splitPath(target));
    at = isAbsolute(target) ? parse(target).root : dirname(next);
  }
  return [...passed, at];
}

const splitPath = (path: string): string[] => path.split('/').filter((part) => part !== '');

function readLinkTarget(path: string): string | null {
  try {
    return lstatSync(path).isSymbolicLink() ? readlinkSync(path) : null;
  } catch {
    return null;
  }
}
