import type { DirectoryEntry, FileFacts, JailedDirectory } from '../../domain/ports/workspace/sandbox.js';
import type { DirectoryHandle } from '../handles/directory-handle.js';
import { toFailure } from './refusals.js';

const text = (name: Uint8Array): string => Buffer.from(name.buffer, name.byteOffset, name.byteLength).toString('utf8');

/** A folder that was reached by the walk, in the jail's words. */
export class OpenJailedDirectory implements JailedDirectory {
  readonly #handle: DirectoryHandle;
  readonly #asked: string;

  constructor(handle: DirectoryHandle, asked: string) {
    this.#handle = handle;
    this.#asked = asked;
  }

  async *entries(): AsyncGenerator<readonly DirectoryEntry[]> {
    try {
      yield* this.#handle.entries();
    } catch (error) {
      throw toFailure(error, this.#asked);
    }
  }

  async facts(name: Uint8Array): Promise<FileFacts> {
    try {
      return await this.#handle.lstat(name);
    } catch (error) {
      throw toFailure(error, text(name));
    }
  }

  async open(name: Uint8Array): Promise<JailedDirectory> {
    try {
      return new OpenJailedDirectory(await this.#handle.openChild(name), text(name));
    } catch (error) {
      throw toFailure(error, text(name));
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#handle.close();
  }
}
