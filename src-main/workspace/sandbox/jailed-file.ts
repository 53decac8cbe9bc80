import type { FileFacts, JailedFile } from '../../domain/ports/workspace/sandbox.js';
import type { SafeFile } from '../handles/safe-file.js';
import { toFailure } from './refusals.js';

/** A file that was reached by the walk, in the jail's words. */
export class OpenJailedFile implements JailedFile {
  readonly #file: SafeFile;
  readonly #asked: string;

  constructor(file: SafeFile, asked: string) {
    this.#file = file;
    this.#asked = asked;
  }

  get facts(): FileFacts {
    return this.#file.facts;
  }

  async read(buffer: Uint8Array, position: number): Promise<number> {
    try {
      return await this.#file.read(buffer, position);
    } catch (error) {
      throw toFailure(error, this.#asked);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#file.close();
  }
}
