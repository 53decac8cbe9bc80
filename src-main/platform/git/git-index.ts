import { dirname, join } from 'node:path';
import { readRegular } from '../files/regular-file.js';

const MAX_NAME_LENGTH = 0xfff;
const EXTENDED = 0x4000;
const STAGE = 0x3000;
const ENTRY = { mode: 24, id: 40 } as const;
const HASHES = [20, 32] as const;
const MAX_INDEX_BYTES = 64 * 2 ** 20;

/** An entry as it stands in the index: its bytes before the name, and those of the name. */
interface RawEntry {
  readonly head: Buffer;
  readonly name: Buffer;
  readonly flags: number;
}

interface ParsedIndex {
  readonly hashBytes: number;
  readonly entries: readonly RawEntry[];
  /** What stands behind the entries, by its sign; null where it is not as it should be. */
  readonly extensions: ReadonlyMap<string, Buffer> | null;
}

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
  const read = bytes === null ? null : parseGitIndex(bytes);
  if (read === null || read.hashBytes !== 20 || read.extensions === null || read.extensions.has('link')) return null;
  return read.entries.map(({ head, name, flags }) => ({
    path: name.toString('utf8'),
    mode: head.readUInt32BE(ENTRY.mode),
    id: head.toString('hex', ENTRY.id, ENTRY.id + read.hashBytes),
    stage: (flags & STAGE) >> 12,
    head,
    name,
  }));
}

/** Reads the names in an index, and in the one that it shares with others; null where it can't be understood. */
export function readIndexNames(path: string): readonly string[] | null {
  const bytes = readRegular(path, MAX_INDEX_BYTES);
  if (bytes === 'absent') return [];
  const read = bytes === null ? null : parseGitIndex(bytes);
  if (read === null) return null;
  const names = listNames(read);
  const link = read.extensions?.get('link')?.toString('hex', 0, read.hashBytes) ?? '';
  if (/^0*$/u.test(link)) return names;
  const shared = readRegular(join(dirname(path), `sharedindex.${link}`), MAX_INDEX_BYTES);
  const more = shared === null || shared === 'absent' ? null : parseGitIndex(shared);
  return more === null ? null : [...new Set([...names, ...listNames(more)])];
}

/** An entry of the shared index that is only changed in the other has its name there. */
const listNames = ({ entries }: ParsedIndex): readonly string[] =>
  entries.filter(({ name }) => name.length > 0).map(({ name }) => name.toString('utf8'));

/**
 * Parses Git's index, versions 2 to 4, as its format says; null where it can't be understood. The length of its hashes
 * is not written in it: an index that does not parse with one length does with the other.
 */
function parseGitIndex(bytes: Buffer): ParsedIndex | null {
  if (bytes.length < 12 || bytes.toString('latin1', 0, 4) !== 'DIRC') return null;
  const version = bytes.readUInt32BE(4);
  if (version < 2 || version > 4) return null;
  for (const hash of HASHES) {
    const read = parseWithHash(bytes, version, hash);
    if (read !== null) return read;
  }
  return null;
}

function parseWithHash(bytes: Buffer, version: number, hash: number): ParsedIndex | null {
  const count = bytes.readUInt32BE(8);
  const end = bytes.length - hash;
  const entries: RawEntry[] = [];
  let at = 12;
  let before: Buffer = Buffer.alloc(0);
  for (let entry = 0; entry < count; entry += 1) {
    const flagsAt = at + ENTRY.id + hash;
    if (flagsAt + 2 > end) return null;
    const flags = bytes.readUInt16BE(flagsAt);
    const isExtended = (flags & EXTENDED) !== 0;
    if (isExtended && version === 2) return null;
    const headEnd = flagsAt + (isExtended ? 4 : 2);
    let nameAt = headEnd;
    let kept = 0;
    if (version === 4) {
      const cut = decodeVarint(bytes, nameAt, end);
      if (cut === null || cut.value > before.length) return null;
      kept = before.length - cut.value;
      nameAt = cut.next;
    }
    const nameEnd = bytes.indexOf(0, nameAt);
    if (nameEnd < 0 || nameEnd >= end) return null;
    const name = Buffer.concat([before.subarray(0, kept), bytes.subarray(nameAt, nameEnd)]);
    // The length stands there a second time: another form of index than this would differ.
    if ((flags & MAX_NAME_LENGTH) !== Math.min(name.length, MAX_NAME_LENGTH)) return null;
    entries.push({ head: bytes.subarray(at, headEnd), name, flags });
    before = name;
    // Filled up with zeros, one at least, to a multiple of eight; not so in the fourth version.
    at = version === 4 ? nameEnd + 1 : at + Math.ceil((nameEnd - at + 1) / 8) * 8;
  }
  return at > end ? null : { hashBytes: hash, entries, extensions: readExtensions(bytes, at, end) };
}

/**
 * Decodes Git's variable-length number of bytes to leave out: seven bits each, the highest first, one more for each
 * byte that follows.
 */
function decodeVarint(
  bytes: Buffer,
  from: number,
  end: number,
): { readonly value: number; readonly next: number } | null {
  let value = 0;
  for (let at = from; at < end && at < from + 4; at += 1) {
    const byte = bytes[at] ?? 0;
    value = at === from ? byte & 0x7f : ((value + 1) << 7) | (byte & 0x7f);
    if ((byte & 0x80) === 0) return { value, next: at + 1 };
  }
  return null;
}

function readExtensions(bytes: Buffer, from: number, end: number): ReadonlyMap<string, Buffer> | null {
  const found = new Map<string, Buffer>();
  let at = from;
  while (at + 8 <= end) {
    const next = at + 8 + bytes.readUInt32BE(at + 4);
    found.set(bytes.toString('latin1', at, at + 4), bytes.subarray(at + 8, Math.min(next, end)));
    at = next;
  }
  return at === end ? found : null;
}
