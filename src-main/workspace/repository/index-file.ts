import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { readRegular } from '../../platform/files/regular-file.js';
import { unpatchedFs } from '../../platform/files/unpatched-fs.js';
import { DirectoryHandle } from '../handles/directory-handle.js';
import { walk } from '../handles/walk.js';

const { constants } = unpatchedFs;

const LOCK = 'index.lock';

const MAX_INDEX_BYTES = 64 * 1024 * 1024;
const ENTRY = { mode: 24, id: 40, flags: 60, name: 62 } as const;
const NAME_MASK = 0xfff;
const EXTENDED = 0x4000;
const STAGE = 0x3000;

export interface IndexEntry {
  /** The path from the top of the working tree. */
  readonly path: string;
  readonly mode: number;
  readonly id: string;
  /** The stage of an unfinished merge; else 0. */
  readonly stage: number;
  /** The raw bytes of the entry before its name; `name` are the bytes of the name. */
  readonly head: Buffer;
  readonly name: Buffer;
}

/**
 * Reads the entries of a repository's index; none where nothing was ever added. Versions 2 to 4, of repositories that
 * name their objects by SHA-1; null for what is split over several files, or can't be read for certain.
 */
export function readIndex(own: string): readonly IndexEntry[] | null {
  const bytes = readRegular(join(own, 'index'), MAX_INDEX_BYTES);
  if (bytes === 'absent') return [];
  try {
    return bytes === null ? null : decodeIndex(bytes);
  } catch {
    return null;
  }
}

function decodeIndex(bytes: Buffer): readonly IndexEntry[] | null {
  const version = bytes.readUInt32BE(4);
  if (bytes.toString('latin1', 0, 4) !== 'DIRC' || version < 2 || version > 4) return null;
  const entries: IndexEntry[] = [];
  let at = 12;
  let before: Buffer = Buffer.alloc(0);
  for (let left = bytes.readUInt32BE(8); left > 0; left -= 1) {
    const mode = bytes.readUInt32BE(at + ENTRY.mode);
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
    if (end === -1 || kept < 0) return null;
    const name = Buffer.concat([before.subarray(0, kept), bytes.subarray(from, end)]);
    // The length stands there a second time: another form of index than this would differ.
    if ((flags & NAME_MASK) !== Math.min(name.length, NAME_MASK)) return null;
    entries.push({
      path: name.toString('utf8'),
      mode,
      id: bytes.toString('hex', at + ENTRY.id, at + ENTRY.flags),
      stage: (flags & STAGE) >> 12,
      head: bytes.subarray(at, begin),
      name,
    });
    before = name;
    at = version === 4 ? end + 1 : at + 8 * Math.floor((end - at) / 8) + 8;
  }
  return isSplit(bytes, at) ? null : entries;
}

/** Reads an offset as in packs: seven bits a byte, and one more for each byte that follows. */
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

/** Whether the index is split over files: its extensions say so; a checksum of 20 bytes comes last. */
function isSplit(bytes: Buffer, from: number): boolean {
  let at = from;
  while (at + 8 <= bytes.length - 20) {
    if (bytes.toString('latin1', at, at + 4) === 'link') return true;
    at += 8 + bytes.readUInt32BE(at + 4);
  }
  return at !== bytes.length - 20;
}

/**
 * Writes the index anew with these entries, under Git's own lock. What Git keeps in it to be quick is left out: Git makes it
 * again. `own`: the repository's folder, from the root; no link on the way is followed. False where somebody else writes it,
 * or it couldn't be written.
 */
export async function writeIndex(root: string, own: string, entries: readonly IndexEntry[]): Promise<boolean> {
  // A folder as an entry goes with what is left out.
  if (entries.some(({ mode }) => (mode & 0o170000) === 0o040000)) return false;
  await using top = await DirectoryHandle.openRoot(root);
  // Closed once it is over, and not before.
  return await walk(top, own, async (folder) => {
    const was = await folder.lstat('index');
    const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL;
    const file = await folder.openFile(LOCK, flags, was.mode & 0o777);
    try {
      await file.write(encodeIndex(entries), 0);
      if (was.uid !== file.facts.uid || was.gid !== file.facts.gid) await file.chown(was.uid, was.gid);
      await file.sync();
      await folder.rename(LOCK, folder, 'index');
      return true;
    } catch (error) {
      await folder.unlink(LOCK);
      throw error;
    } finally {
      await file[Symbol.asyncDispose]();
    }
  }).catch(() => false);
}

function encodeIndex(entries: readonly IndexEntry[]): Buffer {
  const isExtended = entries.some(({ head }) => head.length > ENTRY.name);
  const header = Buffer.alloc(12);
  header.write('DIRC', 'latin1');
  header.writeUInt32BE(isExtended ? 3 : 2, 4);
  header.writeUInt32BE(entries.length, 8);
  const sorted = entries.toSorted((one, other) => Buffer.compare(one.name, other.name) || one.stage - other.stage);
  const body = sorted.flatMap(({ head, name }) => {
    const length = head.length + name.length;
    return [head, name, Buffer.alloc(8 - (length % 8))];
  });
  const all = Buffer.concat([header, ...body]);
  return Buffer.concat([all, createHash('sha1').update(all).digest()]);
}
