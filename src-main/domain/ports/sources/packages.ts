import type { Config } from '#contract/vocabulary/config.js';
import type { ProcessTerms } from '../../tool/terms.js';

/** Packages that programs of sources are started from: fetched once, and never at a start. */
export interface Packages {
  /** Null where this is not installed for it. */
  known(source: string, asked: AskedPackage): InstalledPackage | null;
  /** Fetches it with all that it needs; nothing of it is run. Rejects with words for the person. */
  install(source: string, asked: AskedPackage, held: PackageHeld): Promise<InstalledPackage>;
  /** Likewise, beside what is there: that stays as it is. */
  fetchBeside(source: string, asked: AskedPackage, held: PackageHeld): Promise<InstalledPackage>;
  /** What was fetched beside the other takes its place. Throws with words where it is not there as it was fetched. */
  takeBeside(source: string, asked: AskedPackage): InstalledPackage;
  /** The newest version that its registry has; null where it does not say, or which one is meant stands in the settings. */
  newest(asked: AskedPackage, signal: AbortSignal): Promise<string | null>;
}

export interface AskedPackage {
  /** Of which kind: whose registry is asked, and what fetches it. */
  readonly kind: 'npm' | 'python';
  /** As it was written: a name, perhaps with a version or a range. */
  readonly spec: string;
  /** Of its programs; null where it has one, or one of its own name. */
  readonly program: string | null;
}

/** How whoever fetches it is held. */
export interface PackageHeld {
  readonly process: ProcessTerms;
  readonly config: Config;
}

export interface InstalledPackage {
  readonly name: string;
  readonly version: string;
  /** Of its archive, as the registry said it and what came was. */
  readonly integrity: string;
  /** Over every package that came with it: names, versions and integrities. */
  readonly digest: string;
  /** The program itself, and the folder with all that it loads. */
  readonly path: string;
  readonly folder: string;
}
