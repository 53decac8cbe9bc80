import type {
  PackageRequest,
  InstalledPackage,
  PackageConfinement,
  Packages,
} from '../../../domain/ports/sources/packages.js';
import type { SourceOptions, SourcePackage } from '../../../domain/ports/sources/source.js';
import { type FetchedPackage, readFetchedPackage } from './fetched-package.js';
import { refusedProblem } from './mcp-settings.js';

/** The package that a server is started from, where its command fetches one: once, and another one by the person’s press alone. */
export class StartedPackage {
  readonly #source: string;
  readonly #packages: Packages;
  readonly #onNewer: () => void;
  /** A text says why it can't be understood. */
  readonly #fetched: FetchedPackage | string | null;
  readonly #over = new AbortController();
  #installed: InstalledPackage | null = null;
  #fetching: Promise<InstalledPackage> | null = null;
  #besides: Promise<InstalledPackage> | null = null;
  #hasCheckedNewest = false;
  #newest: string | null = null;

  /** `fetched`: what it is, where it is none of those that are in use. */
  constructor(
    { name, settings }: SourceOptions,
    packages: Packages,
    onNewer: () => void,
    fetched: InstalledPackage | null = null,
  ) {
    this.#source = name;
    this.#packages = packages;
    this.#onNewer = onNewer;
    this.#fetched = readFetchedPackage(settings.command ?? '', settings.args);
    if (this.#fetched !== null && typeof this.#fetched !== 'string')
      this.#installed = fetched ?? packages.findInstalled(name, this.#fetched.asked);
  }

  /** Whether its command only names a package that is fetched. */
  get isFetched(): boolean {
    return this.#fetched !== null;
  }

  get installed(): InstalledPackage | null {
    return this.#installed;
  }

  /** Arguments for the program itself; null where its command is that. */
  get args(): readonly string[] | null {
    return this.#fetched === null || typeof this.#fetched === 'string' ? null : this.#fetched.args;
  }

  /** The package as the person sees it, with what their presses do. */
  toView(does: Pick<SourcePackage, 'fetchNewer' | 'takeNewer'>): SourcePackage | null {
    if (this.#installed === null) return null;
    const { name, version } = this.#installed;
    return { name, version, newer: this.#newest === version ? null : this.#newest, ...does };
  }

  /**
   * The program to start, or null where its command is that itself. Fetches it where it never was, with nothing of it
   * run.
   */
  async resolveCommand(held: PackageConfinement): Promise<{ readonly command: string } | null> {
    const fetched = this.#fetched;
    if (fetched === null) return null;
    if (typeof fetched === 'string') throw refusedProblem(this.#source, fetched);
    return { command: (await this.#fetch(fetched.asked, held)).path };
  }

  /** Fetches the package. Requests that come meanwhile wait for the same one. */
  async #fetch(asked: PackageRequest, held: PackageConfinement): Promise<InstalledPackage> {
    if (this.#installed !== null) return this.#installed;
    this.#fetching ??= this.#packages
      .install(this.#source, asked, held, this.#over.signal)
      .finally(() => (this.#fetching = null));
    this.#installed = await this.#fetching;
    return this.#installed;
  }

  async fetchNewer(held: PackageConfinement): Promise<InstalledPackage> {
    const beside = this.#packages.fetchBeside(this.#source, this.#asked, held, this.#over.signal);
    this.#besides = beside;
    return await beside;
  }

  takeNewer(): void {
    this.#installed = this.#packages.takeBeside(this.#source, this.#asked);
  }

  get #asked(): PackageRequest {
    if (this.#fetched === null || typeof this.#fetched === 'string') throw new Error('It is started from no package.');
    return this.#fetched.asked;
  }

  /** Once. Nobody waits for it, and where it can't be said, there is none. */
  lookForNewer(): void {
    if (
      this.#hasCheckedNewest ||
      this.#installed === null ||
      this.#fetched === null ||
      typeof this.#fetched === 'string'
    )
      return;
    this.#hasCheckedNewest = true;
    void this.#packages.findNewestVersion(this.#fetched.asked, this.#over.signal).then(
      (newest) => {
        this.#newest = newest;
        if (newest !== null && !this.#over.signal.aborted) this.#onNewer();
      },
      () => undefined,
    );
  }

  /** Resolves when nothing is fetched for it any more. */
  async close(): Promise<void> {
    this.#over.abort();
    await Promise.allSettled([this.#fetching, this.#besides]);
  }
}
