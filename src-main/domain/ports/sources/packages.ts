import type { Config } from '#contract/vocabulary/config.js';
import type { ProcessTerms } from '../../tool/terms.js';

/** Packages that programs of sources are started from: fetched once, and never at a start. */
export interface Packages {
  /** Null where this is not installed for it. */
  findInstalled(source: string, asked: PackageRequest): InstalledPackage | null;
  /**
   * Fetches it with all that it needs; nothing of it is run. Rejects with words for the person; once stopped, when nothing of it
   * runs or is left.
   */
  install(
    source: string,
    asked: PackageRequest,
    held: PackageConfinement,
    stopped: AbortSignal,
  ): Promise<InstalledPackage>;
  /** Fetches likewise, beside the installed version, which stays as it is. */
  fetchBeside(
    source: string,
    asked: PackageRequest,
    held: PackageConfinement,
    stopped: AbortSignal,
  ): Promise<InstalledPackage>;
  /**
   * Puts the version that was fetched beside the other in its place. Throws with words where it is not there as it was
   * fetched.
   */
  takeBeside(source: string, asked: PackageRequest): InstalledPackage;
  /**
   * Asks its registry for the newest version; null where it does not say, or the settings already say which one is
   * meant.
   */
  findNewestVersion(asked: PackageRequest, signal: AbortSignal): Promise<string | null>;
}

export interface PackageRequest {
  /** The kind of package: whose registry is asked, and what fetches it. */
  readonly kind: 'npm' | 'python';
  /** The package as the settings name it: a name, perhaps with a version or a range. */
  readonly spec: string;
  /** The program of the package to run; null where it has one, or one of its own name. */
  readonly program: string | null;
}

/** How the program that fetches it is confined. */
export interface PackageConfinement {
  readonly process: ProcessTerms;
  readonly config: Config;
}

export interface InstalledPackage {
  readonly name: string;
  readonly version: string;
  /** The integrity of its archive, as the registry said it and the archive was found to be. */
  readonly integrity: string;
  /** The digest over every package that came with it: names, versions and integrities. */
  readonly digest: string;
  /** The program itself, and the folder with all that it loads. */
  readonly path: string;
  readonly folder: string;
}
