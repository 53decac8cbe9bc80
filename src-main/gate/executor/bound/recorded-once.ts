/** Records once, before the first of it is told, that a call's caller is given its output while it runs. */
export class RecordedOnce {
  readonly #write: () => Promise<boolean>;
  #written: Promise<boolean> | null = null;

  constructor(write: () => Promise<boolean>) {
    this.#write = write;
  }

  /** False where it can't be written: then nothing is told, and the next try writes anew. */
  async record(): Promise<boolean> {
    this.#written ??= this.#write();
    if (await this.#written) return true;
    this.#written = null;
    return false;
  }

  get isRecorded(): Promise<boolean> {
    return this.#written ?? Promise.resolve(false);
  }
}
