import type { BigIntStats } from 'node:fs';
import { promisify } from 'node:util';
import { unpatchedFs } from '../../platform/files/unpatched-fs.js';
import { type FileStatus, statusOf } from './file-status.js';
import { RefCounted } from './ref-counted.js';

const { closeSync } = unpatchedFs;
const readAt = promisify(unpatchedFs.read) as unknown as (...args: ReadArguments) => Promise<{ bytesRead: number }>;
const writeAt = promisify(unpatchedFs.write) as unknown as (
  ...args: ReadArguments
) => Promise<{ bytesWritten: number }>;
const statOf = promisify(unpatchedFs.fstat) as unknown as (fd: number, how: { bigint: true }) => Promise<BigIntStats>;
const changeMode = promisify(unpatchedFs.fchmod);
const changeOwner = promisify(unpatchedFs.fchown);
const syncAll = promisify(unpatchedFs.fsync);

type ReadArguments = [fd: number, buffer: Uint8Array, offset: number, length: number, position: number];

/**
 * An open regular file, reached without following a link. Everything here acts on what was opened, never on a name.
 * A descriptor rather than a FileHandle: opening and closing many small files is most of what is done with them, and
 * closing takes no time, so it need not wait its turn in the thread pool behind real work.
 */
export class SafeFile implements AsyncDisposable {
  readonly #fd: RefCounted<number>;
  /** The status when the file was opened. */
  readonly facts: FileStatus;

  constructor(fd: number, facts: FileStatus) {
    this.#fd = new RefCounted(fd, closeSync, 'This file was closed.');
    this.facts = facts;
  }

  /** How many bytes came; 0 at the end. */
  async read(buffer: Uint8Array, position: number): Promise<number> {
    return (await this.#fd.use((fd) => readAt(fd, buffer, 0, buffer.byteLength, position))).bytesRead;
  }

  /** Writes all of it at `position`. */
  async write(bytes: Uint8Array, position: number): Promise<void> {
    let done = 0;
    while (done < bytes.byteLength) {
      const from = done;
      const written = this.#fd.use((fd) => writeAt(fd, bytes, from, bytes.byteLength - from, position + from));
      done += (await written).bytesWritten;
    }
  }

  async status(): Promise<FileStatus> {
    return statusOf(await this.#fd.use((fd) => statOf(fd, { bigint: true })));
  }

  async chmod(mode: number): Promise<void> {
    await this.#fd.use((fd) => changeMode(fd, mode));
  }

  async chown(uid: number, gid: number): Promise<void> {
    await this.#fd.use((fd) => changeOwner(fd, uid, gid));
  }

  /** Contents and metadata are on the disk when this resolves. */
  async sync(): Promise<void> {
    await this.#fd.use((fd) => syncAll(fd));
  }

  close(): Promise<void> {
    return this.#fd.close();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }
}
