import { constants } from 'node:fs';
import { type FileHandle, mkdir, open, readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import {
  type FrameHeader,
  HEADER_BYTES,
  compressImage,
  readHeader,
  decompressImage,
  writeHeader,
} from './image-frame.js';
import { type ImageSealing, openSealed, sealForUndo } from './image-sealing.js';
import type { DiskAccess } from '../transaction/transaction-steps.js';
import { syncFolder } from '../transaction/sync-folder.js';
import { LARGEST_FILE } from '../../domain/size-bounds.js';

/** Where an image's bytes are. A spare one is too large to be kept for undo: it lives only until its call is settled. */
export type ImageRef =
  | { readonly kind: 'segment'; readonly segment: number; readonly offset: number }
  | { readonly kind: 'spare'; readonly file: string };

const MAX_SEGMENT_BYTES = 64 * 1024 * 1024;
/** Smaller contents are always whole: a difference would save next to nothing, and cost reading its base back. */
const DELTA_FROM = 16 * 1024;
/** A delta this small is worth depending on its base. */
const WORTHWHILE_DELTA = 4096;
const WRITE_AT_ONCE = 8 * 1024 * 1024;

interface IndexedImage {
  readonly offset: number;
  readonly header: FrameHeader;
  /** Stored bytes of the whole image it depends on (its own, if it is whole). */
  readonly wholeStored: number;
  /** False for what an earlier run wrote, until it was read: after a power cut a header may be there without its bytes. */
  trusted: boolean;
}

/** Content that resembles what is to be added, and is there already. */
export interface SimilarImage {
  readonly hash: string;
  readonly content: Uint8Array;
}

/** The segment that grows: its length, what is in it by hash, and its file while a transaction commits. */
interface OpenSegment {
  readonly number: number;
  handle: FileHandle;
  isOpen: boolean;
  length: number;
  pending: Buffer[];
  pendingBytes: number;
  readonly known: Map<string, IndexedImage>;
}

/**
 * Before- and after-images, by content. They are appended to segments (`<n>/images`); the records of the calls they
 * belong to are beside them, so the oldest segment can go whole when the quota is reached and nothing points into a
 * hole. Within a segment the same content is kept once. One writer: the transactions' mutex.
 */
export class ImageStore {
  readonly #folder: string;
  readonly #disk: DiskAccess;
  readonly #sealing: ImageSealing;
  readonly #quotaBytes: () => number;
  #growing: OpenSegment | null = null;

  constructor(folder: string, quotaBytes: () => number, disk: DiskAccess, sealing: ImageSealing) {
    this.#sealing = sealing;
    this.#folder = folder;
    this.#quotaBytes = quotaBytes;
    this.#disk = disk;
  }

  folderOf(segment: number): string {
    return join(this.#folder, String(segment).padStart(8, '0'));
  }

  /** Numbers of the segments there are, oldest first. */
  async segments(): Promise<readonly number[]> {
    const names = await readdir(this.#folder).catch(ignoreMissing);
    return (names ?? [])
      .filter((name) => /^\d{8,}$/.test(name))
      .map(Number)
      .sort((a, b) => a - b);
  }

  /** The segment that the images of the next call go to, opened. All images of one call are in one segment. */
  async begin(): Promise<number> {
    if (this.#growing !== null && this.#growing.length >= this.#segmentBytes()) await this.discard();
    if (this.#growing !== null && !this.#growing.isOpen) await this.#reopen(this.#growing);
    this.#growing ??= await this.#openGrowing();
    return this.#growing.number;
  }

  /** Closes what `begin` opened; the segment's index stays in memory. */
  async close(): Promise<void> {
    if (this.#growing?.isOpen !== true) return;
    this.#growing.isOpen = false;
    await this.#growing.handle.close();
  }

  /** Whether a content is kept for undo at all: not too much of it, and no secret where nothing can be sealed. */
  keeps(content: Uint8Array): Promise<boolean> {
    return this.wouldKeep(content.byteLength, async () => content);
  }

  /** The content is read only where it counts. */
  async wouldKeep(size: number, content: () => Promise<Uint8Array>): Promise<boolean> {
    if (size > Math.min(LARGEST_FILE, this.#quotaBytes() / 4)) return false;
    const { sealer, finds } = this.#sealing;
    return sealer.available || !(await finds(await content()));
  }

  /** Durable only after `flush`. `near` is content that resembles this one, already added. */
  async add(content: Uint8Array, hash: string, near: SimilarImage | null): Promise<ImageRef> {
    const growing = this.#open();
    const known = await this.#trusted(growing, hash);
    if (known !== null) return { kind: 'segment', segment: growing.number, offset: known.offset };
    const delta = near === null || content.byteLength < DELTA_FROM ? null : await this.#delta(growing, content, near);
    const packed = delta?.stored ?? (await compressImage(content, null));
    const stored = sealForUndo(packed, sealingPurpose(hash), this.#sealing);
    // Somebody who packed the same content at the same time may have been faster.
    const meanwhile = growing.known.get(hash);
    if (meanwhile !== undefined) return { kind: 'segment', segment: growing.number, offset: meanwhile.offset };
    const offset = growing.length + growing.pendingBytes;
    const header = {
      sha256: hash,
      base: delta?.base ?? null,
      contentLength: content.byteLength,
      storedLength: stored.byteLength,
    };
    growing.pending.push(writeHeader(header), stored);
    growing.pendingBytes += HEADER_BYTES + stored.byteLength;
    growing.known.set(hash, { offset, header, wholeStored: delta?.wholeStored ?? stored.byteLength, trusted: true });
    if (growing.pendingBytes >= WRITE_AT_ONCE) await this.#write(growing);
    return { kind: 'segment', segment: growing.number, offset };
  }

  /** Writes out all that was added; it is on the disk when this resolves. */
  async flush(): Promise<void> {
    const growing = this.#open();
    await this.#write(growing);
    await this.#disk.step('image-sync', String(growing.number));
    if (this.#disk.durable) await growing.handle.datasync();
  }

  /** Forgets what was added, after a failure. The next opening reads the file anew, and cuts a half-written tail. */
  async discard(): Promise<void> {
    await this.close().finally(() => (this.#growing = null));
  }

  async read(ref: ImageRef, spareFolder: string): Promise<Buffer> {
    if (ref.kind === 'spare') return openSealed(await readWhole(join(spareFolder, ref.file)), ref.file, this.#sealing);
    const handle = await open(join(this.folderOf(ref.segment), 'images'), constants.O_RDONLY);
    try {
      return await readFrame(handle, ref.offset, this.#sealing);
    } finally {
      await handle.close();
    }
  }

  /** Removes the oldest segments until the quota is kept. Segments in `inUse` and the growing one stay. */
  async evict(inUse: ReadonlySet<number>): Promise<void> {
    const sizes = new Map<number, number>();
    for (const segment of await this.segments()) sizes.set(segment, await this.#size(segment));
    let total = [...sizes.values()].reduce((sum, size) => sum + size, 0);
    for (const [segment, size] of sizes) {
      if (total <= this.#quotaBytes()) return;
      if (inUse.has(segment) || segment === this.#growing?.number) continue;
      await rm(this.folderOf(segment), { recursive: true, force: true });
      total -= size;
    }
  }

  /** Removes segments that were last written before `before` (Unix ms). */
  async forgetOlder(before: number, inUse: ReadonlySet<number>): Promise<void> {
    for (const segment of await this.segments()) {
      if (inUse.has(segment) || segment === this.#growing?.number) continue;
      const facts = await stat(join(this.folderOf(segment), 'images')).catch(ignoreMissing);
      if ((facts?.mtimeMs ?? 0) < before) await rm(this.folderOf(segment), { recursive: true, force: true });
    }
  }

  #segmentBytes(): number {
    return Math.min(MAX_SEGMENT_BYTES, Math.max(4096, this.#quotaBytes() / 16));
  }

  #open(): OpenSegment {
    if (this.#growing?.isOpen !== true) throw new Error('no segment is open for images');
    return this.#growing;
  }

  /**
   * Opens the segment again. Somebody may have emptied the data folder meanwhile; then the index is no longer true and
   * is dropped.
   */
  async #reopen(growing: OpenSegment): Promise<void> {
    const handle = await open(join(this.folderOf(growing.number), 'images'), constants.O_RDWR).catch(ignoreMissing);
    if (handle === null) this.#growing = null;
    else if ((await handle.stat()).size === growing.length) {
      growing.handle = handle;
      growing.isOpen = true;
    } else {
      await handle.close();
      this.#growing = null;
    }
  }

  async #size(segment: number): Promise<number> {
    const folder = this.folderOf(segment);
    const facts = await stat(join(folder, 'images')).catch(ignoreMissing);
    return facts?.size ?? 0;
  }

  async #openGrowing(): Promise<OpenSegment> {
    const last = (await this.segments()).at(-1);
    const full = last !== undefined && (await this.#size(last)) >= this.#segmentBytes();
    const number = last === undefined ? 1 : full ? last + 1 : last;
    const folder = this.folderOf(number);
    await this.#disk.step('image-open', String(number));
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const handle = await open(join(folder, 'images'), constants.O_RDWR | constants.O_CREAT, 0o600);
    try {
      const { known, length } = await readIndex(handle);
      await handle.truncate(length);
      if (this.#disk.durable) {
        await syncFolder(folder);
        await syncFolder(this.#folder);
      }
      return { number, handle, isOpen: true, length, pending: [], pendingBytes: 0, known };
    } catch (error) {
      await handle.close();
      throw error;
    }
  }

  async #write(growing: OpenSegment): Promise<void> {
    const bytes = Buffer.concat(growing.pending);
    growing.pending = [];
    growing.pendingBytes = 0;
    const at = growing.length;
    growing.length += bytes.byteLength;
    await this.#disk.step('image-write', String(growing.number));
    let done = 0;
    while (done < bytes.byteLength) {
      done += (await growing.handle.write(bytes, done, bytes.byteLength - done, at + done)).bytesWritten;
    }
  }

  async #trusted(growing: OpenSegment, hash: string): Promise<IndexedImage | null> {
    const known = growing.known.get(hash);
    if (known === undefined || known.trusted) return known ?? null;
    try {
      await readFrame(growing.handle, known.offset, this.#sealing);
      known.trusted = true;
      return known;
    } catch {
      growing.known.delete(hash);
      return null;
    }
  }

  /** The content as a difference from a whole image of this segment, if that is worth it. */
  async #delta(
    growing: OpenSegment,
    content: Uint8Array,
    near: SimilarImage,
  ): Promise<{ readonly base: number; readonly stored: Buffer; readonly wholeStored: number } | null> {
    const known = await this.#trusted(growing, near.hash);
    if (known === null || near.content.byteLength === 0) return null;
    const base = known.header.base ?? known.offset;
    const isWhole = known.header.base === null;
    // A base that is not written yet can't be read back; then this image is simply whole.
    if (!isWhole && base >= growing.length) return null;
    const baseContent = isWhole ? near.content : await readFrame(growing.handle, base, this.#sealing);
    const stored = await compressImage(content, baseContent);
    const worthwhile = stored.byteLength <= Math.max(WORTHWHILE_DELTA, known.wholeStored / 10);
    return worthwhile && stored.byteLength < content.byteLength
      ? { base, stored, wholeStored: known.wholeStored }
      : null;
  }
}

/** Walks the headers; what does not parse, and all after it, was torn off by a crash. */
export async function readIndex(
  handle: FileHandle,
): Promise<{ readonly known: Map<string, IndexedImage>; readonly length: number }> {
  const known = new Map<string, IndexedImage>();
  const storedAt = new Map<number, number>();
  const { size } = await handle.stat();
  const bytes = Buffer.alloc(HEADER_BYTES);
  let at = 0;
  while (at + HEADER_BYTES <= size) {
    await handle.read(bytes, 0, HEADER_BYTES, at);
    const header = readHeader(bytes);
    if (header === null || at + HEADER_BYTES + header.storedLength > size) break;
    const wholeStored = header.base === null ? header.storedLength : (storedAt.get(header.base) ?? 0);
    storedAt.set(at, header.storedLength);
    known.set(header.sha256, { offset: at, header, wholeStored, trusted: false });
    at += HEADER_BYTES + header.storedLength;
  }
  return { known, length: at };
}

/** The purpose that a content of this hash is sealed with: nothing sealed can be put in another's place. */
const sealingPurpose = (hash: string): string => `image ${hash}`;

export async function readFrame(handle: FileHandle, offset: number, sealing: ImageSealing): Promise<Buffer> {
  const bytes = Buffer.alloc(HEADER_BYTES);
  await handle.read(bytes, 0, HEADER_BYTES, offset);
  const header = readHeader(bytes);
  if (header === null) throw new Error('an image for undo is damaged: there is none where it should be');
  const stored = Buffer.alloc(header.storedLength);
  const { bytesRead } = await handle.read(stored, 0, stored.byteLength, offset + HEADER_BYTES);
  if (bytesRead < stored.byteLength) throw new Error('an image for undo is damaged: its end is missing');
  const base = header.base === null ? null : await readFrame(handle, header.base, sealing);
  return decompressImage(openSealed(stored, sealingPurpose(header.sha256), sealing), header, base);
}

async function readWhole(file: string): Promise<Buffer> {
  const handle = await open(file, constants.O_RDONLY);
  try {
    return await handle.readFile();
  } finally {
    await handle.close();
  }
}

function ignoreMissing(error: unknown): null {
  if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null;
  throw error;
}
