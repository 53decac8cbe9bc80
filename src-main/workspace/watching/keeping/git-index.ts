import { dirname, join, resolve, sep } from 'node:path';
import { readRegular } from '../../../platform/files/regular-file.js';
import { unpatchedFs } from '../../../platform/files/unpatched-fs.js';
import { foldersUp } from '../../../platform/files/repository-top.js';

const { lstatSync } = unpatchedFs;

/** Whether Git tracks a file, by its canonical path; a folder that it tracks something in is none. */
export type IsTracked = (path: string) => boolean;

const EVERYTHING = (): boolean => true;
const LARGEST_INDEX = 64 * 1024 * 1024;
const LARGEST_LINK = 4096;
const ENTRY = { flags: 60, name: 62 } as const;
const NAME_MASK = 0xfff;
const EXTENDED = 0x4000;
const IS_FOLDER = 0o040000;

/**
 * Reads what repositories track from their indexes, as they stand on the disk: Git itself is not run, since it would run
 * what the repository's settings say. Where an index can't be read for certain, everything counts as tracked.
 */
export function trackedFiles(): IsTracked {
  const indexes = new Map<string, IsTracked>();
  const repositories = new Map<string, string | null>();
  const repositoryOf = (folder: string): string | null => {
    const known = repositories.get(folder);
    if (known !== undefined) return known;
    const found =
      foldersUp(folder).find((each) => lstatSync(join(each, '.git'), { throwIfNoEntry: false }) !== undefined) ?? null;
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
    const folder = gitFolderOf(top);
    if (folder === null) return EVERYTHING;
    const bytes = readRegular(join(folder, 'index'), LARGEST_INDEX);
    // Nothing was ever added.
    if (bytes === 'absent') return () => false;
    return bytes === null ? EVERYTHING : parsed(bytes);
  } catch {
    return EVERYTHING;
  }
}

/** Null where it is none that can be followed. */
function gitFolderOf(top: string): string | null {
  const path = join(top, '.git');
  if (lstatSync(path).isDirectory()) return path;
  const text = readRegular(path, LARGEST_LINK);
  const found = text === null || text === 'absent' ? null : /^gitdir: (.+)\n?$/u.exec(text.toString('utf8'));
  return found?.[1] === undefined ? null : resolve(top, found[1]);
}

/** Versions 2 to 4, of repositories that name their objects by SHA-1; what is split over several files is not followed. */
function parsed(bytes: Buffer): IsTracked {
  const version = bytes.readUInt32BE(4);
  if (bytes.toString('latin1', 0, 4) !== 'DIRC' || version < 2 || version > 4) return EVERYTHING;
  const files = new Set<string>();
  const folders: string[] = [];
  let at = 12;
  let before = Buffer.alloc(0);
  for (let left = bytes.readUInt32BE(8); left > 0; left -= 1) {
    const mode = bytes.readUInt32BE(at + 24);
    const flags = bytes.readUInt16BE(at + ENTRY.flags);
    const begin = at + ENTRY.name + ((flags & EXTENDED) === 0 ? 0 : 2);
    let from = begin;
    let kept = 0;
    if (version === 4) {
      const skipped = offsetAt(bytes, begin);
      kept = before.length - skipped.value;
      from = skipped.next;
    }
    const end = bytes.indexOf(0, from);
    if (end === -1 || kept < 0) return EVERYTHING;
    const name = Buffer.concat([before.subarray(0, kept), bytes.subarray(from, end)]);
    // The length stands there a second time: another form of index than this would differ.
    if ((flags & NAME_MASK) !== Math.min(name.length, NAME_MASK)) return EVERYTHING;
    if ((mode & 0o170000) === IS_FOLDER) folders.push(name.toString('utf8'));
    else files.add(name.toString('utf8'));
    before = name;
    at = version === 4 ? end + 1 : at + 8 * Math.floor((end - at) / 8) + 8;
  }
  if (isSplit(bytes, at)) return EVERYTHING;
  return (path) => files.has(path) || folders.some((folder) => path.startsWith(folder));
}

/** As in packs: seven bits a byte, and one more for each byte that follows. */
function offsetAt(bytes: Buffer, from: number): { readonly value: number; readonly next: number } {
  let next = from;
  let byte = bytes.readUInt8(next++);
  let value = byte & 0x7f;
  while ((byte & 0x80) !== 0) {
    byte = bytes.readUInt8(next++);
    value = (value + 1) * 128 + (byte & 0x7f);
  }
  return { value, next };
}

/** Its extensions say so; a checksum of 20 bytes comes last. */
function isSplit(bytes: Buffer, from: number): boolean {
  let at = from;
  while (at + 8 <= bytes.length - 20) {
    if (bytes.toString('latin1', at, at + 4) === 'link') return true;
    at += 8 + bytes.readUInt32BE(at + 4);
  }
  return at !== bytes.length - 20;
}
