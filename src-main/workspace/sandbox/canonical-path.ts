import { dirname, isAbsolute, join, parse, sep } from 'node:path';
import { errnoOf } from '../handles/unsafe-path-error.js';
import { unpatchedFs, unpatchedFsPromises } from '../../platform/files/unpatched-fs.js';

const { lstat, readlink } = unpatchedFsPromises;

const MAX_LINKS = 40;

/**
 * Where a path leads once every link is resolved, whether its end exists or not (steps 4 and 5 of seed 002 §3.5.2).
 * A link that leads to nothing is followed too: what counts is where a file made there would be.
 */
export async function canonicalPath(path: string): Promise<string> {
  try {
    // What is there is told faster than another thread is asked; the jail looks at its parts in the same way.
    return unpatchedFs.realpathSync.native(path);
  } catch (error) {
    const code = errnoOf(error);
    if (code !== 'ENOENT' && code !== 'ENOTDIR') throw error;
  }
  return canonicalOfMissing(path);
}

async function canonicalOfMissing(path: string): Promise<string> {
  let current = parse(path).root;
  let pending = partsBelowRoot(path);
  let links = 0;
  while (pending.length > 0) {
    const [part = '', ...rest] = pending;
    pending = rest;
    if (part === '..') {
      current = dirname(current);
      continue;
    }
    const next = join(current, part);
    const kind = await kindAt(next);
    // Below what is missing there is nothing to look at, unless a link's target steps up again.
    if (kind === 'missing' && !rest.includes('..')) return join(next, ...rest);
    if (kind !== 'link') {
      current = next;
      continue;
    }
    links += 1;
    if (links > MAX_LINKS) throw Object.assign(new Error('too many links'), { code: 'ELOOP' });
    const target = await readlink(next);
    if (isAbsolute(target)) current = parse(target).root;
    pending = [...partsBelowRoot(target), ...rest];
  }
  return current;
}

const partsBelowRoot = (path: string): readonly string[] =>
  path
    .slice(parse(path).root.length)
    .split(sep === '\\' ? /[\\/]/ : '/')
    .filter((part) => part !== '' && part !== '.');

async function kindAt(path: string): Promise<'missing' | 'link' | 'other'> {
  try {
    return (await lstat(path)).isSymbolicLink() ? 'link' : 'other';
  } catch (error) {
    const code = errnoOf(error);
    // Below a file there is nothing; that it is a file, the walk says.
    if (code === 'ENOENT' || code === 'ENOTDIR') return 'missing';
    throw error;
  }
}
