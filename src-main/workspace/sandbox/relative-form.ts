import { isAbsolute, join, normalize, parse, sep } from 'node:path';
import { unpatchedFsPromises } from '../../platform/files/unpatched-fs.js';

/** Deeper than any folder that people work in; each level is looked at. */
const MAX_LEVELS = 64;

/**
 * The form that an absolute path inside a root has from that root: the same path, judged as such. The folder that holds
 * it may be reached by another name (a link to the workspace); the rest stays as it was written. Null for a path that
 * is not absolute, or does not go through the root.
 */
export async function toRelativePath(asked: string, root: string): Promise<string | null> {
  if (!isAbsolute(asked) || asked.split(/[\\/]/).includes('..')) return null;
  const path = normalize(asked);
  const begin = parse(path).root;
  const names = path.slice(begin.length).split(sep).filter(Boolean);
  const plain = root === begin ? begin : `${root}${sep}`;
  if (path === root || path.startsWith(plain)) return below(names.slice(levels(root)));
  for (let level = 0; level <= Math.min(names.length, MAX_LEVELS); level += 1) {
    const folder = join(begin, ...names.slice(0, level));
    const real = await unpatchedFsPromises.realpath(folder).catch(() => null);
    if (real === null) return null;
    if (real === root) return below(names.slice(level));
  }
  return null;
}

const levels = (root: string): number => root.slice(parse(root).root.length).split(sep).filter(Boolean).length;

const below = (names: readonly string[]): string => (names.length === 0 ? '.' : names.join('/'));
