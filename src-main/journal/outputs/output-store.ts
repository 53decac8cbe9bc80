import { createHash, type Hash } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { type FileHandle, mkdir, open, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { StoredOutput, StoredStream } from '../../domain/call/outputs.js';
import type { OutputSink, OutputStore, SealedSink } from '../../domain/ports/output-store.js';
import type { Sealer, SealingStream } from '../../domain/ports/sealing.js';
import { incomingFile, incomingFolder, sealedFile, sealedFor, storedFile } from './output-places.js';

/**
 * Whole output, as the command wrote it: beside the journal, for this person only (0600), under its hash once it is
 * finished. The journal keeps the hash and the size.
 */
export class FileOutputStore implements OutputStore {
  readonly #dataDir: string;
  readonly #sealer: Sealer;

  constructor(dataDir: string, sealer: Sealer) {
    this.#dataDir = dataDir;
    this.#sealer = sealer;
    mkdirSync(incomingFolder(dataDir), { recursive: true, mode: 0o700 });
  }

  open(callId: string, stream: StoredStream, maxBytes: number): OutputSink {
    return new FileSink(this.#dataDir, callId, stream, maxBytes);
  }

  seal(callId: string, stream: 'stdout' | 'stderr', from: number, maxBytes: number): SealedSink | null {
    const sealing = this.#sealer.sealStream(sealedFor(callId, stream));
    return sealing === null ? null : new SealedFile(sealedFile(this.#dataDir, callId, stream), sealing, from, maxBytes);
  }
}

/** First `from`, eight bytes, then the bytes. What a crash leaves of it opens as far as whole frames go. */
class SealedFile implements SealedSink {
  readonly #sealing: SealingStream;
  readonly #handle: Promise<FileHandle>;
  #room: number;
  #last: Promise<void>;

  constructor(file: string, sealing: SealingStream, from: number, maxBytes: number) {
    this.#sealing = sealing;
    this.#room = Math.max(0, maxBytes - from);
    this.#handle = mkdir(dirname(file), { recursive: true, mode: 0o700 }).then(() => open(file, 'w', 0o600));
    const head = Buffer.alloc(8);
    head.writeBigUInt64BE(BigInt(from));
    this.#last = this.#append(sealing.push(head));
    // Reported by the next write, or by finish.
    this.#last.catch(() => undefined);
  }

  write(bytes: Uint8Array): Promise<void> {
    const taken = bytes.subarray(0, this.#room);
    this.#room -= taken.byteLength;
    // Sealed at once: the caller's buffer may be reused.
    return this.#next(this.#sealing.push(taken));
  }

  async finish(): Promise<void> {
    await this.#next(this.#sealing.end());
    await (await this.#handle).close();
  }

  #next(sealed: Uint8Array): Promise<void> {
    const written = this.#last.then(() => this.#append(sealed));
    this.#last = written;
    written.catch(() => undefined);
    return written;
  }

  async #append(sealed: Uint8Array): Promise<void> {
    const handle = await this.#handle;
    for (let at = 0; at < sealed.byteLength;) at += (await handle.write(sealed, at)).bytesWritten;
  }
}

class FileSink implements OutputSink {
  readonly #dataDir: string;
  readonly #file: string;
  readonly #stream: StoredStream;
  readonly #maxBytes: number;
  readonly #hash: Hash = createHash('sha256');
  readonly #handle: Promise<FileHandle>;
  #bytes = 0;
  #full = false;
  /** Writes happen one after another, in the order in which they were asked. */
  #last: Promise<unknown> = Promise.resolve();

  constructor(dataDir: string, callId: string, stream: StoredStream, maxBytes: number) {
    this.#dataDir = dataDir;
    this.#stream = stream;
    this.#maxBytes = maxBytes;
    this.#file = incomingFile(dataDir, callId, stream);
    this.#handle = open(this.#file, 'w', 0o600);
    // Reported by the first write or by finish.
    this.#handle.catch(() => undefined);
  }

  write(bytes: Uint8Array): Promise<boolean> {
    const room = this.#maxBytes - this.#bytes;
    if (this.#full || room <= 0) return Promise.resolve(false);
    // Copied: the caller's buffer may be reused before the write happens.
    const kept = Buffer.from(bytes.subarray(0, room));
    const whole = kept.byteLength === bytes.byteLength;
    this.#bytes += kept.byteLength;
    this.#hash.update(kept);
    const written = this.#last.then(async () => {
      const handle = await this.#handle;
      for (let at = 0; at < kept.byteLength;) at += (await handle.write(kept, at)).bytesWritten;
      return whole;
    });
    this.#last = written;
    // A chain that failed stays failed: what is kept must be what was hashed.
    written.catch(() => {
      this.#full = true;
    });
    return written;
  }

  async abandon(): Promise<void> {
    await this.#last.catch(() => undefined);
    await (await this.#handle).close();
    await rm(this.#file, { force: true });
  }

  async finish(): Promise<StoredOutput> {
    const handle = await this.#handle;
    await this.#last;
    if (this.#bytes > 0) await handle.datasync();
    await handle.close();
    const sha256 = this.#hash.digest('hex');
    const target = storedFile(this.#dataDir, sha256);
    await mkdir(dirname(target), { recursive: true, mode: 0o700 });
    await rename(this.#file, target);
    return { stream: this.#stream, sha256, bytes: this.#bytes };
  }
}
