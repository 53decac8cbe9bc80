import { watchFolder } from '../../platform/packages/watch-folder.js';
import type { PackageHost } from '../../tools/packages/package-host.js';

interface FollowedPackageDeps {
  readonly hostOf: (folder: string) => PackageHost;
  /** Reports that what is shown of it changed. */
  readonly onChange: () => void;
  readonly onFault: (error: unknown) => void;
}

/** The folder of the package that is named now, read whenever it changes; another one where another is named. */
export class FollowedPackage {
  readonly #parts: FollowedPackageDeps;
  #host: PackageHost | null = null;
  #watched: ReturnType<typeof watchFolder> | null = null;
  #folder: string | null = null;
  #hasBegun = false;
  #turn: Promise<unknown> = Promise.resolve();

  constructor(parts: FollowedPackageDeps) {
    this.#parts = parts;
  }

  get host(): PackageHost | null {
    return this.#host;
  }

  get folder(): string {
    return this.#folder ?? '';
  }

  /** Null for none. What is wrong in it where it can't be taken. */
  follow(folder: string | null): Promise<readonly string[]> {
    const followed = this.#turn.then(() => this.#follow(folder));
    this.#turn = followed.catch(this.#parts.onFault);
    return followed;
  }

  /** Lets workers start from now on. */
  begin(): void {
    this.#hasBegun = true;
    this.#host?.begin();
  }

  /** Re-checks the package: the names that it may not share with others changed. */
  look(): void {
    void this.#host?.look().catch(this.#parts.onFault);
  }

  async close(): Promise<void> {
    await this.#turn;
    await Promise.all([this.#watched?.close(), this.#host?.close()]);
  }

  async #follow(folder: string | null): Promise<readonly string[]> {
    if (folder === this.#folder) return [];
    this.#folder = folder;
    await Promise.all([this.#watched?.close(), this.#host?.close()]);
    this.#watched = null;
    this.#host = null;
    this.#parts.onChange();
    if (folder === null) return [];
    const host = this.#parts.hostOf(folder);
    this.#host = host;
    const isTaken = await host.look();
    if (this.#hasBegun) host.begin();
    this.#watched = watchFolder(folder, () => void host.look().catch(this.#parts.onFault));
    // Changed from now on, it is seen.
    await this.#watched.ready;
    return isTaken ? [] : host.problems;
  }
}
