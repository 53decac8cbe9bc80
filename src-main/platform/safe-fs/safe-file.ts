import type { FileHandle } from 'node:fs/promises';
import { type FileStatus, statusOf } from './file-status.js';

/** An open regular file, reached without following a link. Everything here acts on what was opened, never on a name. */
export class SafeFile implements AsyncDisposable {
  readonly #handle: FileHandle;
  /** As it was when opened. */
  readonly facts: FileStatus;

  constructor(handle: FileHandle, facts: FileStatus) {
    this.#handle = handle;
    this.facts = facts;
  }

  /** How many bytes came; 0 at the end. */
  async read(buffer: Uint8Array, position: number): Promise<number> {
    return (await this.#handle.read(buffer, 0, buffer.byteLength, position)).bytesRead;
  }

  /** Writes all of it at `position`. */
  async write(bytes: Uint8Array, position: number): Promise<void> {
    let done = 0;
    while (done < bytes.byteLength) {
      const { bytesWritten } = await this.#handle.write(bytes, done, bytes.byteLength - done, position + done);
      done += bytesWritten;
    }
  }

  async status(): Promise<FileStatus> {
    return statusOf(await this.#handle.stat({ bigint: true }));
  }

  async truncate(length: number): Promise<void> {
    await this.#handle.truncate(length);
  }

  async chmod(mode: number): Promise<void> {
    await this.#handle.chmod(mode);
  }

  async chown(uid: number, gid: number): Promise<void> {
    await this.#handle.chown(uid, gid);
  }

  /** Contents and metadata are on the disk when this resolves. */
  async sync(): Promise<void> {
    await this.#handle.sync();
  }

  async close(): Promise<void> {
    await this.#handle.close();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }
}
