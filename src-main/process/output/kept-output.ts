import type { StoredOutput } from '../../domain/call/outputs.js';
import type { OutputSink, SealedSink } from '../../domain/ports/output-store.js';
import type { KeptPiece } from './stored-bytes.js';

export interface KeptOutputOptions {
  /** Called for the first byte: a stream that says nothing leaves no file. */
  readonly openSink: () => OutputSink;
  /**
   * Called where something is redacted for the first time, with how many bytes come before it. Null: nothing is sealed.
   */
  readonly openSealed: (from: number) => SealedSink | null;
  /** So many bytes of what is kept came in this turn. */
  readonly onKept: (turn: number, bytes: number) => void;
  readonly onQuota: () => void;
  readonly onStorageFailure: (problem: unknown) => void;
}

/** One stream of a command on disk: without its secrets, and sealed with them from where there are some. */
export class KeptOutput {
  readonly #options: KeptOutputOptions;
  #storing = true;
  #sink: OutputSink | null = null;
  #bytes = 0;
  #sealed: SealedSink | 'none yet' | null = 'none yet';

  constructor(options: KeptOutputOptions) {
    this.#options = options;
  }

  async keep(pieces: readonly KeptPiece[]): Promise<void> {
    for (const { raw, kept, turn } of pieces) {
      if (this.#sealed === 'none yet' && kept !== raw) this.#sealed = this.#options.openSealed(this.#bytes);
      this.#bytes += kept.length;
      this.#options.onKept(turn, kept.length);
      await this.#seal((to) => to.write(raw));
    }
    const [only] = pieces;
    const alone = pieces.length === 1 && only !== undefined;
    await this.#store(alone ? only.kept : Buffer.concat(pieces.map(({ kept }) => kept)));
  }

  async finish(): Promise<StoredOutput | null> {
    await this.#seal((to) => to.finish());
    return this.#sink === null ? null : this.#finished(this.#sink);
  }

  async #store(bytes: Buffer): Promise<void> {
    if (!this.#storing || bytes.length === 0) return;
    try {
      this.#sink ??= this.#options.openSink();
      if (await this.#sink.write(bytes)) return;
      this.#options.onQuota();
    } catch (problem) {
      this.#storing = false;
      this.#options.onStorageFailure(problem);
    }
  }

  /** Writes to the sealed copy. Output that can't be sealed can't be revealed, and that is all. */
  async #seal(write: (to: SealedSink) => Promise<void>): Promise<void> {
    if (this.#sealed === null || this.#sealed === 'none yet') return;
    try {
      await write(this.#sealed);
    } catch (problem) {
      this.#sealed = null;
      this.#options.onStorageFailure(problem);
    }
  }

  /** Finishes the file. Output that can't be kept whole is not kept at all; the command ran all the same. */
  async #finished(sink: OutputSink): Promise<StoredOutput | null> {
    try {
      if (this.#storing) return await sink.finish();
    } catch (problem) {
      this.#options.onStorageFailure(problem);
    }
    await sink.abandon().catch(() => undefined);
    return null;
  }
}
