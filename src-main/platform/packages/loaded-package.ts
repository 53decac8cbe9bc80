import { readSmallFile, replaceSmallFile } from '../files/small-file.js';

interface LoadedVersion {
  readonly domainId: string;
  readonly version: string;
  readonly versionDigest: string;
}

/**
 * The version of a package that was taken last: a version is taken once, and a tool that is another one by now loses
 * its rules.
 */
export interface LoadedPackage extends LoadedVersion {
  /** The versions that were in force before it, the last of them first. */
  readonly before: readonly LoadedVersion[];
  readonly tools: LoadedTools;
  /** The accepted package of each folder that one was taken from, by the folder's path. */
  readonly folders: Readonly<Record<string, AcceptedPackage>>;
}

/** The taken tools by id. */
export type LoadedTools = Readonly<Record<string, { readonly version: string; readonly digest: string }>>;

/** The package that the person approved, for ever: the folder's later content is compared with it. */
export interface AcceptedPackage extends LoadedVersion {
  /** The digest of every file: its copy is named by it. */
  readonly digest: string;
  /** The version that was taken first of this folder, by its digest. */
  readonly first: string;
  readonly tools: LoadedTools;
  /** The id that each image name had; null where none was known. */
  readonly images: Readonly<Record<string, string | null>>;
  /** The limit that the policies set to its workers' reach; null: they narrow nothing. */
  readonly egress: readonly string[] | null;
}

export function readLoadedPackage(path: string): LoadedPackage | null {
  try {
    const text = readSmallFile(path);
    const kept = text === null ? null : (JSON.parse(text) as Partial<LoadedPackage> | null);
    const isWhole = typeof kept?.versionDigest === 'string' && [kept.tools, kept.folders].every(isRecord);
    return isWhole && Array.isArray(kept.before) ? (kept as LoadedPackage) : null;
  } catch {
    return null;
  }
}

const isRecord = (value: unknown): boolean => typeof value === 'object' && value !== null;

const MAX_KEPT_VERSIONS = 200;

export const listVersions = ({ domainId, version, versionDigest, before }: LoadedPackage): readonly LoadedVersion[] => [
  { domainId, version, versionDigest },
  ...before.filter((each) => each.domainId !== domainId || each.version !== version).slice(0, MAX_KEPT_VERSIONS),
];

export const writeLoadedPackage = (path: string, taken: LoadedPackage): void =>
  replaceSmallFile(path, `${JSON.stringify(taken, null, 1)}\n`);
