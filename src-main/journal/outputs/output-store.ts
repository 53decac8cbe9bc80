import { createHash, type Hash } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { type FileHandle, mkdir, open, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { StoredOutput } from '../../domain/call/outputs.js';
import type { OutputSink, OutputStore } from '../../domain/ports/output-store.js';
import { incomingFile, incomingFolder, storedFile } from './output-places.js';

/**
 * Whole output, as the command wrote it: beside the journal, for this person only (0600), under its hash once it is
 * finished. The journal keeps the hash and the size.
 */
export class FileOutputStore implements OutputStore {
  readonly #dataDir: string;

  constructor(dataDir: string) {
    this.#dataDir = dataDir;
    mkdirSync(incomingFolder(dataDir), { recursive: true, mode: 0o700 });
  }

  open(callId: string, stream: 'stdout' | 'stderr', maxBytes: number): OutputSink {
    return new FileSink(this.#dataDir, callId, stream, maxBytes);
  }
}

class FileSink implements OutputSink {
  readonly #dataDir: string;
  readonly #file: string;
  readonly #stream: 'stdout' | 'stderr';
  readonly #maxBytes: number;
  readonly #hash: Hash = createHash('sha256');
  readonly #handle: Promise<FileHandle>;
  #bytes = 0;
  #full = false;
  /** Writes happen one after another, in the order in which they were asked. */
  #last: Promise<unknown> = Promise.resolve();

  constructor(dataDir: string, callId: string, stream: 'stdout' | 'stderr', maxBytes: number) {
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
