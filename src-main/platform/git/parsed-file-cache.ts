import { unpatchedFs } from '../files/unpatched-fs.js';
import { readRegular } from '../files/regular-file.js';
import { resolvePath } from '../files/resolve-path.js';

const { lstatSync, statSync } = unpatchedFs;

const MAX_FILE_BYTES = 1024 * 1024;
/** A file that was changed so lately could be changed once more and look the same. */
const SETTLED_AFTER_MS = 2000;
const MAX_CACHED = 2000;

interface CachedFile<T> {
  readonly stamp: string;
  readonly made: T;
}

/** A cache of small files' parsed text: each lookup compares the file's status, and a changed file is read again. */
export class ParsedFileCache<T> {
  readonly #make: (text: string) => T;
  readonly #kept = new Map<string, CachedFile<T>>();

  constructor(make: (text: string) => T) {
    this.#make = make;
  }

  /** Null where it can't be read: too large, no file, a link. Only what somebody keeps at home may be one. */
  read(path: string, links: 'refused' | 'followed' = 'refused'): T | 'absent' | null {
    const before = stampFile(path, links);
    if (typeof before === 'string') return before === 'absent' ? 'absent' : null;
    const kept = this.#kept.get(path);
    if (kept?.stamp === before.stamp) return kept.made;
    const file = links === 'followed' ? resolvePath(path) : path;
    const text = file === null ? null : readRegular(file, MAX_FILE_BYTES);
    if (text === null || text === 'absent') return text;
    const made = this.#make(text.toString('utf8'));
    const after = stampFile(path, links);
    const isSettled = typeof after !== 'string' && after.stamp === before.stamp && before.isSettled;
    if (this.#kept.size >= MAX_CACHED) this.#kept.clear();
    if (isSettled) this.#kept.set(path, { stamp: before.stamp, made });
    return made;
  }
}

function stampFile(
  path: string,
  links: 'refused' | 'followed',
): { readonly stamp: string; readonly isSettled: boolean } | 'absent' | 'unknown' {
  try {
    const look = links === 'followed' ? statSync : lstatSync;
    const { ino, dev, size, mtimeNs, ctimeNs, ctimeMs } = look(path, { bigint: true });
    const isSettled = Date.now() - Number(ctimeMs) > SETTLED_AFTER_MS;
    return { stamp: [dev, ino, size, mtimeNs, ctimeNs].join(' '), isSettled };
  } catch (error) {
    return error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ENOTDIR')
      ? 'absent'
      : 'unknown';
  }
}
