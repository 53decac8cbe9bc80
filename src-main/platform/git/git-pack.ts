import { inflateSync } from 'node:zlib';
import { readRegular } from '../files/regular-file.js';
import { unpatchedFs } from '../files/unpatched-fs.js';

const { closeSync, constants, fstatSync, openSync, readSync } = unpatchedFs;

/**
 * The largest object that is read. Objects that name files and commits are small; contents of files are never read
 * here.
 */
export const MAX_OBJECT_BYTES = 16 * 1024 * 1024;

export interface GitObject {
  readonly type: 'commit' | 'tree' | 'blob' | 'tag';
  readonly content: Buffer;
}

const MAX_PACK_INDEX_BYTES = 256 * 1024 * 1024;
const MAX_DELTAS = 100;
const TYPES: Readonly<Record<number, GitObject['type']>> = { 1: 'commit', 2: 'tree', 3: 'blob', 4: 'tag' };
const BY_OFFSET = 6;
const BY_NAME = 7;
/** The first read: enough for the header and a small object. More is read where it doesn't do. */
const FIRST_READ = 4096;

/** Many objects in one file, many of them written as what differs from another. Null for what can't be read. */
export class GitPack {
  readonly path: string;
  readonly #idBytes: number;
  #list: Buffer | null | undefined;

  constructor(path: string, idBytes: number) {
    this.path = path;
    this.#idBytes = idBytes;
  }

  read(id: string, other: (id: string) => GitObject | null): GitObject | null {
    const offset = this.#offsetOf(id);
    if (offset === null) return null;
    const fd = openSync(`${this.path}.pack`, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    try {
      return this.#at(fd, fstatSync(fd).size, offset, other, 0);
    } finally {
      closeSync(fd);
    }
  }

  #offsetOf(id: string): number | null {
    const list = (this.#list ??= this.#readList());
    if (list === null) return null;
    const wanted = Buffer.from(id, 'hex');
    const count = list.readUInt32BE(8 + 255 * 4);
    const names = 8 + 256 * 4;
    const first = wanted[0] ?? 0;
    let low = first === 0 ? 0 : list.readUInt32BE(8 + (first - 1) * 4);
    let high = list.readUInt32BE(8 + first * 4);
    while (low < high) {
      const middle = (low + high) >>> 1;
      const from = names + middle * this.#idBytes;
      const order = list.compare(wanted, 0, this.#idBytes, from, from + this.#idBytes);
      if (order === 0) return offsetAt(list, names + count * (this.#idBytes + 4), count, middle);
      if (order < 0) low = middle + 1;
      else high = middle;
    }
    return null;
  }

  #readList(): Buffer | null {
    const bytes = readRegular(`${this.path}.idx`, MAX_PACK_INDEX_BYTES);
    const isKnown = bytes !== null && bytes !== 'absent' && bytes.readUInt32BE(0) === 0xff744f63;
    return isKnown && bytes.readUInt32BE(4) === 2 ? bytes : null;
  }

  #at(
    fd: number,
    fileSize: number,
    offset: number,
    other: (id: string) => GitObject | null,
    depth: number,
  ): GitObject | null {
    if (depth > MAX_DELTAS || offset >= fileSize) return null;
    const head = readAt(fd, offset, Math.min(FIRST_READ, fileSize - offset));
    let at = 0;
    let byte = head.readUInt8(at++);
    const type = (byte >> 4) & 7;
    let size = byte & 15;
    for (let factor = 16; (byte & 0x80) !== 0; factor *= 128) {
      byte = head.readUInt8(at++);
      size += (byte & 0x7f) * factor;
    }
    if (size > MAX_OBJECT_BYTES) return null;
    let base: GitObject | null = null;
    if (type === BY_OFFSET) {
      byte = head.readUInt8(at++);
      let back = byte & 0x7f;
      while ((byte & 0x80) !== 0) {
        byte = head.readUInt8(at++);
        back = (back + 1) * 128 + (byte & 0x7f);
      }
      base = this.#at(fd, fileSize, offset - back, other, depth + 1);
    } else if (type === BY_NAME) {
      base = other(head.toString('hex', at, at + this.#idBytes));
      at += this.#idBytes;
    }
    // What is packed is hardly larger than what it is made of.
    const most = Math.min(size + (size >> 8) + 1024, fileSize - offset - at);
    const packed = most <= head.length - at ? head.subarray(at, at + most) : readAt(fd, offset + at, most);
    const content = inflateSync(packed, { maxOutputLength: Math.max(size, 1) });
    if (content.length !== size) return null;
    if (type === BY_OFFSET || type === BY_NAME) {
      const made = base === null ? null : applyDelta(base.content, content);
      return base === null || made === null ? null : { type: base.type, content: made };
    }
    const plain = TYPES[type];
    return plain === undefined ? null : { type: plain, content };
  }
}

function offsetAt(list: Buffer, offsets: number, count: number, index: number): number {
  const offset = list.readUInt32BE(offsets + index * 4);
  if (offset < 0x80000000) return offset;
  return Number(list.readBigUInt64BE(offsets + count * 4 + (offset - 0x80000000) * 8));
}

function readAt(fd: number, from: number, length: number): Buffer {
  const bytes = Buffer.alloc(length);
  let got = 0;
  while (got < length) {
    const read = readSync(fd, bytes, got, length - got, from + got);
    if (read === 0) break;
    got += read;
  }
  return bytes.subarray(0, got);
}

/** Copies of the base, and what is new between them. */
function applyDelta(base: Buffer, delta: Buffer): Buffer | null {
  let at = 0;
  const length = (): number => {
    let value = 0;
    for (let factor = 1; ; factor *= 128) {
      const byte = delta.readUInt8(at++);
      value += (byte & 0x7f) * factor;
      if ((byte & 0x80) === 0) return value;
    }
  };
  if (length() !== base.length) return null;
  const size = length();
  if (size > MAX_OBJECT_BYTES) return null;
  const parts: Buffer[] = [];
  while (at < delta.length) {
    const op = delta.readUInt8(at++);
    if ((op & 0x80) === 0) {
      if (op === 0) return null;
      parts.push(delta.subarray(at, at + op));
      at += op;
      continue;
    }
    let [from, count] = [0, 0];
    for (let bit = 0; bit < 4; bit += 1) if ((op & (1 << bit)) !== 0) from += delta.readUInt8(at++) * 256 ** bit;
    for (let bit = 0; bit < 3; bit += 1) if ((op & (16 << bit)) !== 0) count += delta.readUInt8(at++) * 256 ** bit;
    parts.push(base.subarray(from, from + (count === 0 ? 0x10000 : count)));
  }
  const made = Buffer.concat(parts);
  return made.length === size ? made : null;
}
