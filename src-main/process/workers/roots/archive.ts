import { createReadStream } from 'node:fs';
import { open } from 'node:fs/promises';
import { pipeline, type Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { WorkerProblem } from '../../../domain/ports/sources/worker.js';

/** What stands in an archive, one after another; the bytes of a file are read before the next is asked for. */
export interface ArchiveEntry {
  readonly path: string;
  readonly kind: 'file' | 'folder' | 'link' | 'same';
  readonly mode: number;
  /** Where a link leads, or with which file before it is the same. */
  readonly target: string;
  readonly size: number;
  readonly bytes: AsyncIterable<Buffer>;
}

const BLOCK = 512;
const GZIP = Buffer.from([0x1f, 0x8b]);
const OTHER_PACKING = [
  { name: 'xz', begins: Buffer.from([0xfd, 0x37, 0x7a, 0x58, 0x5a]) },
  { name: 'bzip2', begins: Buffer.from('BZh') },
  { name: 'zstd', begins: Buffer.from([0x28, 0xb5, 0x2f, 0xfd]) },
];
/** Of names and their like; no system has longer ones. */
const MOST_SAID = 1024 * 1024;

/** Of tar, as it is or packed by gzip. */
export async function* readArchive(file: string): AsyncGenerator<ArchiveEntry> {
  const packed = (await beginningOf(file)).subarray(0, 2).equals(GZIP);
  const bytes = new Bytes(packed ? unpacked(file) : createReadStream(file));
  let said: Record<string, string> = {};
  for (;;) {
    const header = await bytes.exactly(BLOCK);
    if (header === null || header.every((byte) => byte === 0)) return;
    checkSum(header);
    const size = 'size' in said ? Number(said['size']) : numberIn(header, 124, 12);
    if (!Number.isSafeInteger(size) || size < 0) throw new WorkerProblem('an entry of the archive has no size.');
    const type = String.fromCharCode(header[156] ?? 0);
    const [name, target] = [textIn(header, 0, 100), textIn(header, 157, 100)];
    const prefix = textIn(header, 257, 6) === 'ustar' ? textIn(header, 345, 155) : '';
    if ('xLKg'.includes(type)) {
      const text = await whole(bytes.next(size));
      if (type === 'x') said = { ...said, ...recordsOf(text) };
      else if (type === 'L') said = { ...said, path: untilNull(text) };
      else if (type === 'K') said = { ...said, linkpath: untilNull(text) };
      continue;
    }
    const content = bytes.next(size);
    yield {
      path: said['path'] ?? (prefix === '' ? name : `${prefix}/${name}`),
      kind: kindOf(type, said['path'] ?? name),
      mode: numberIn(header, 100, 8) & 0o777,
      target: said['linkpath'] ?? target,
      size,
      bytes: content,
    };
    // What nobody wanted is passed over.
    for await (const _ of content);
    said = {};
  }
}

/** Whether it is an archive, by what stands in it and not by its name. */
export async function isArchive(file: string): Promise<boolean> {
  const beginning = await beginningOf(file);
  const other = OTHER_PACKING.find(({ begins }) => beginning.subarray(0, begins.length).equals(begins));
  if (other !== undefined)
    throw new WorkerProblem(
      `it is packed by ${other.name}, which can’t be read with runc alone: pack it by gzip, or not at all.`,
    );
  if (beginning.subarray(257, 262).toString('latin1') === 'ustar') return true;
  if (!beginning.subarray(0, 2).equals(GZIP)) return false;
  const source = unpacked(file);
  try {
    const header = await new Bytes(source).exactly(BLOCK);
    return header?.subarray(257, 262).toString('latin1') === 'ustar';
  } catch {
    return false;
  } finally {
    source.destroy();
  }
}

/** What goes wrong with either is told by the second. */
function unpacked(file: string): Readable {
  const gunzip = createGunzip();
  pipeline(createReadStream(file), gunzip, () => undefined);
  return gunzip;
}

async function beginningOf(file: string): Promise<Buffer> {
  const opened = await open(file);
  try {
    const { buffer, bytesRead } = await opened.read(Buffer.alloc(BLOCK), 0, BLOCK, 0);
    return buffer.subarray(0, bytesRead);
  } finally {
    await opened.close();
  }
}

function kindOf(type: string, path: string): ArchiveEntry['kind'] {
  if (type === '5' || (path.endsWith('/') && '0\x00'.includes(type))) return 'folder';
  if ('0\x007'.includes(type)) return 'file';
  if (type === '2') return 'link';
  if (type === '1') return 'same';
  throw new WorkerProblem(
    `${path.slice(0, 200)} in the archive is a device, or a kind that is not known. Leave it out: devices are made for each container.`,
  );
}

const untilNull = (text: Buffer): string => text.toString('utf8').replace(/\0[^]*$/u, '');
const textIn = (header: Buffer, at: number, length: number): string => untilNull(header.subarray(at, at + length));

/** Octal, or, where that is too short, in bytes. */
function numberIn(header: Buffer, at: number, length: number): number {
  const field = header.subarray(at, at + length);
  if (((field[0] ?? 0) & 0x80) !== 0) return field.subarray(1).reduce((sum, byte) => sum * 256 + byte, 0);
  const text = field.toString('latin1').replaceAll('\0', ' ').trim();
  return text === '' ? 0 : /^[0-7]+$/u.test(text) ? Number.parseInt(text, 8) : Number.NaN;
}

function checkSum(header: Buffer): void {
  const without = header.reduce((sum, byte, at) => sum + (at >= 148 && at < 156 ? 0x20 : byte), 0);
  if (numberIn(header, 148, 8) !== without) throw new WorkerProblem('the archive is damaged, or no archive of tar.');
}

/** “length name=value\n”, one after another. */
function recordsOf(text: Buffer): Record<string, string> {
  const found: Record<string, string> = {};
  for (let at = 0; at < text.length;) {
    const [, digits = ''] = /^(\d+) /u.exec(text.subarray(at, at + 20).toString('latin1')) ?? [];
    const length = Number(digits);
    if (digits === '' || at + length > text.length || length <= digits.length)
      throw new WorkerProblem('the archive is damaged.');
    const record = text.subarray(at + digits.length + 1, at + length - 1).toString('utf8');
    const equals = record.indexOf('=');
    if (['path', 'linkpath', 'size'].includes(record.slice(0, equals)))
      found[record.slice(0, equals)] = record.slice(equals + 1);
    at += length;
  }
  return found;
}

async function whole(bytes: AsyncIterable<Buffer>): Promise<Buffer> {
  const parts: Buffer[] = [];
  let length = 0;
  for await (const part of bytes) {
    length += part.length;
    if (length > MOST_SAID) throw new WorkerProblem('the archive has a name that is too long.');
    parts.push(part);
  }
  return Buffer.concat(parts);
}

/** A stream, taken in pieces of known length. */
class Bytes {
  readonly #source: AsyncIterator<Buffer>;
  #rest: Buffer = Buffer.alloc(0);

  constructor(source: Readable) {
    this.#source = source[Symbol.asyncIterator]() as AsyncIterator<Buffer>;
  }

  /** Null at the end. */
  async exactly(length: number): Promise<Buffer | null> {
    while (this.#rest.length < length) {
      const { done, value } = await this.#source.next();
      if (done === true) {
        if (this.#rest.length === 0) return null;
        throw new WorkerProblem('the archive ends in the middle.');
      }
      this.#rest = this.#rest.length === 0 ? value : Buffer.concat([this.#rest, value]);
    }
    const taken = this.#rest.subarray(0, length);
    this.#rest = this.#rest.subarray(length);
    return taken;
  }

  /** And what fills up its last block. */
  async *next(length: number): AsyncGenerator<Buffer> {
    let left = length;
    while (left > 0) {
      if (this.#rest.length === 0) {
        const { done, value } = await this.#source.next();
        if (done === true) throw new WorkerProblem('the archive ends in the middle.');
        this.#rest = value;
      }
      const part = this.#rest.subarray(0, left);
      this.#rest = this.#rest.subarray(part.length);
      left -= part.length;
      yield part;
    }
    const over = length % BLOCK;
    if (over !== 0) await this.exactly(BLOCK - over);
  }
}
