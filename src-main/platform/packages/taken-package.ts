import { readSmallFile, replaceSmallFile } from '../files/small-file.js';

interface TakenVersion {
  readonly domainId: string;
  readonly version: string;
  readonly versionDigest: string;
}

/** What was taken last of a package: a version is taken once, and a tool that is another one by now loses its rules. */
export interface TakenPackage extends TakenVersion {
  /** The versions that were in force before it, the last of them first. Not there in what an earlier Gatehouse kept. */
  readonly before?: readonly TakenVersion[];
  /** By id. */
  readonly tools: Readonly<Record<string, { readonly version: string; readonly digest: string }>>;
}

export function readTaken(path: string): TakenPackage | null {
  try {
    const text = readSmallFile(path);
    const kept = text === null ? null : (JSON.parse(text) as Partial<TakenPackage> | null);
    const isWhole = typeof kept?.versionDigest === 'string' && typeof kept.tools === 'object';
    return isWhole && Array.isArray(kept.before ?? []) ? (kept as TakenPackage) : null;
  } catch {
    return null;
  }
}

const MOST_KEPT = 200;

export const versionsOf = ({
  domainId,
  version,
  versionDigest,
  before = [],
}: TakenPackage): readonly TakenVersion[] => [
  { domainId, version, versionDigest },
  ...before.filter((each) => each.domainId !== domainId || each.version !== version).slice(0, MOST_KEPT),
];

export const keepTaken = (path: string, taken: TakenPackage): void =>
  replaceSmallFile(path, `${JSON.stringify(taken, null, 1)}\n`);
