import { sha256 } from '../../platform/digest.js';
import { promisify } from 'node:util';
import { constants, crc32, zstdCompress, zstdCompressSync, zstdDecompress, type ZstdOptions } from 'node:zlib';

/**
 * One image in a segment: a fixed header and zstd bytes. An image is whole, or written against a whole one (its base) as
 * dictionary: the image of a file before and after a one-line edit then costs a few dozen bytes, not the file again.
 *
 *   0 magic · 4 CRC-32 of what follows in the header · 8 SHA-256 of the content · 40 base offset (all ones: none)
 *   48 content length · 56 stored length
 */
export const HEADER_BYTES = 64;
const MAGIC = 0x31494847; // “GHI1”
const NO_BASE = 0xffff_ffff_ffff_ffffn;
/** The size below which the thread pool costs more than the work. */
const MIN_POOL_BYTES = 64 * 1024;
/** zstd's own limit of what a reader accepts by default is 27; content and dictionary must both fit the window. */
const MAX_WINDOW_LOG = 27;

const compress = promisify(zstdCompress) as (data: Uint8Array, options: ZstdOptions) => Promise<Buffer>;
const decompress = promisify(zstdDecompress) as (data: Uint8Array, options: ZstdOptions) => Promise<Buffer>;

export interface FrameHeader {
  readonly sha256: string;
  readonly base: number | null;
  readonly contentLength: number;
  readonly storedLength: number;
}

export async function compressImage(content: Uint8Array, base: Uint8Array | null): Promise<Buffer> {
  const options: ZstdOptions = { params: { [constants.ZSTD_c_compressionLevel]: 3 } };
  if (base !== null) {
    const windowLog = Math.ceil(Math.log2(content.byteLength + base.byteLength + 1));
    options.dictionary = base;
    options.params = {
      ...options.params,
      [constants.ZSTD_c_windowLog]: Math.min(MAX_WINDOW_LOG, Math.max(10, windowLog)),
    };
  }
  return content.byteLength + (base?.byteLength ?? 0) < MIN_POOL_BYTES
    ? zstdCompressSync(content, options)
    : compress(content, options);
}

export async function decompressImage(
  stored: Uint8Array,
  header: FrameHeader,
  base: Uint8Array | null,
): Promise<Buffer> {
  const options: ZstdOptions = {
    maxOutputLength: Math.max(1, header.contentLength),
    params: { [constants.ZSTD_d_windowLogMax]: MAX_WINDOW_LOG },
  };
  if (base !== null) options.dictionary = base;
  const content = await decompress(stored, options);
  if (sha256(content) !== header.sha256) throw new Error('an image for undo is damaged: its content has another hash');
  return content;
}

export function writeHeader(header: FrameHeader): Buffer {
  const bytes = Buffer.alloc(HEADER_BYTES);
  bytes.writeUInt32LE(MAGIC, 0);
  bytes.write(header.sha256, 8, 'hex');
  bytes.writeBigUInt64LE(header.base === null ? NO_BASE : BigInt(header.base), 40);
  bytes.writeBigUInt64LE(BigInt(header.contentLength), 48);
  bytes.writeBigUInt64LE(BigInt(header.storedLength), 56);
  bytes.writeUInt32LE(crc32(bytes.subarray(8)), 4);
  return bytes;
}

/** Null when these bytes are no header: the end of the segment was torn off, or somebody changed it. */
export function readHeader(bytes: Uint8Array): FrameHeader | null {
  if (bytes.byteLength < HEADER_BYTES) return null;
  const view = Buffer.from(bytes.buffer, bytes.byteOffset, HEADER_BYTES);
  if (view.readUInt32LE(0) !== MAGIC || view.readUInt32LE(4) !== crc32(view.subarray(8))) return null;
  const base = view.readBigUInt64LE(40);
  return {
    sha256: view.toString('hex', 8, 40),
    base: base === NO_BASE ? null : Number(base),
    contentLength: Number(view.readBigUInt64LE(48)),
    storedLength: Number(view.readBigUInt64LE(56)),
  };
}
