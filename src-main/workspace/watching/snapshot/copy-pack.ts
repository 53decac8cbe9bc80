import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { unpatchedFs, unpatchedFsPromises } from '../../../platform/files/unpatched-fs.js';

const { constants } = unpatchedFs;
const { mkdir, open, readdir, unlink } = unpatchedFsPromises;
type FileHandle = Awaited<ReturnType<typeof open>>;

const WRITE_AT_ONCE = 1024 * 1024;
const SUFFIX = '.copies';

/** The disk would not take what was copied, which is no fault of the file that was. */
export class PackError extends Error {
  constructor(cause: unknown) {
    super(cause instanceof Error ? cause.message : String(cause), { cause });
    this.name = 'PackError';
  }
}

/**
 * Copies one after another in a file that has no name: it is removed as soon as it is open, so nobody else can open it, and
 * whatever ends the app leaves nothing behind. Only ever appended to; a copy stays what it is until the pack is closed.
 */
export class CopyPack {
  readonly #handle: FileHandle;
  /** Given away so far; what of it is not on the disk yet is in `#waiting`. */
  #length = 0;
  #written = 0;
  #waiting: Buffer[] = [];
  #users = 1;
  #flushing: Promise<void> = Promise.resolve();

  private constructor(handle: FileHandle) {
    this.#handle = handle;
  }

  static async open(folder: string): Promise<CopyPack> {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const path = join(folder, `${process.pid}-${randomBytes(8).toString('hex')}${SUFFIX}`);
    const handle = await open(path, constants.O_RDWR | constants.O_CREAT | constants.O_EXCL, 0o600);
    try {
      await unlink(path);
    } catch (error) {
      await handle.close();
      throw error;
    }
    return new CopyPack(handle);
  }

  /** Removes the files of an app that was killed in the very moment between making the file and removing its name. */
  static async removeStrays(folder: string): Promise<void> {
    for (const name of await readdir(folder).catch(() => [])) {
      if (name.endsWith(SUFFIX)) await unlink(join(folder, name)).catch(() => undefined);
    }
  }

  get length(): number {
    return this.#length;
  }

  /** Gives where it begins. Throws PackError when the disk can't take it; the pack is of no use then. */
  async append(bytes: Buffer): Promise<number> {
    const offset = this.#length;
    this.#waiting.push(bytes);
    this.#length += bytes.byteLength;
    if (this.#length - this.#written >= WRITE_AT_ONCE) await this.flush();
    return offset;
  }

  /** Writes what waits, one flush after another: each goes where the one before it ended. */
  flush(): Promise<void> {
    const flushed = this.#flushing.then(() => this.#write());
    this.#flushing = flushed.catch(() => undefined);
    return flushed;
  }

  async #write(): Promise<void> {
    const bytes = Buffer.concat(this.#waiting);
    this.#waiting = [];
    try {
      for (let done = 0; done < bytes.byteLength;) {
        const { bytesWritten } = await this.#handle.write(bytes, done, bytes.byteLength - done, this.#written);
        this.#written += bytesWritten;
        done += bytesWritten;
      }
    } catch (error) {
      throw new PackError(error);
    }
  }

  async read(offset: number, length: number): Promise<Buffer> {
    const bytes = Buffer.alloc(length);
    for (let done = 0; done < length;) {
      const { bytesRead } = await this.#handle.read(bytes, done, length - done, offset + done);
      if (bytesRead === 0) throw new Error('a copy of the snapshot is missing its end');
      done += bytesRead;
    }
    return bytes;
  }

  /** Counts one more user of the contents. */
  retain(): void {
    this.#users += 1;
  }

  async release(): Promise<void> {
    this.#users -= 1;
    if (this.#users === 0) await this.#handle.close();
  }
}
