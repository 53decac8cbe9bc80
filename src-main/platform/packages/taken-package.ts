import { readSmallFile, replaceSmallFile } from '../files/small-file.js';

/** What was taken last of a package: a version is taken once, and a tool that is another one by now loses its rules. */
export interface TakenPackage {
  readonly domainId: string;
  readonly version: string;
  readonly versionDigest: string;
  /** By id. */
  readonly tools: Readonly<Record<string, { readonly version: string; readonly digest: string }>>;
}

export function readTaken(path: string): TakenPackage | null {
  try {
    const text = readSmallFile(path);
    const kept = text === null ? null : (JSON.parse(text) as Partial<TakenPackage> | null);
    return typeof kept?.versionDigest === 'string' && typeof kept.tools === 'object' ? (kept as TakenPackage) : null;
  } catch {
    return null;
  }
}

export const keepTaken = (path: string, taken: TakenPackage): void =>
  replaceSmallFile(path, `${JSON.stringify(taken, null, 1)}\n`);
