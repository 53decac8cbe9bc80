import type { PackageRequest } from '../../domain/ports/sources/packages.js';

interface Registries {
  readonly registry: string;
  readonly pythonIndex: string;
  readonly read: (url: string, accept: string, signal: AbortSignal) => Promise<unknown>;
}

/**
 * Asks a registry for its newest version. A version that the person wrote down is the one they mean: then nobody is
 * asked.
 */
export async function fetchNewestVersion(
  { kind, spec }: PackageRequest,
  { registry, pythonIndex, read }: Registries,
  signal: AbortSignal,
): Promise<string | null> {
  const name = /^(@[^/@]+\/)?[^@=<>~![\]]+/u.exec(spec)?.[0] ?? '';
  if (name === '' || (name !== spec && spec !== `${name}@latest`)) return null;
  if (kind === 'npm') {
    const url = new URL(`-/package/${name.replace('/', '%2f')}/dist-tags`, registry).href;
    const tags = (await read(url, 'application/json', signal)) as { readonly latest?: unknown } | null;
    return plainVersion(tags?.latest);
  }
  const url = new URL(`${name.toLowerCase().replace(/[-_.]+/gu, '-')}/`, pythonIndex).href;
  const page = (await read(url, 'application/vnd.pypi.simple.v1+json', signal)) as {
    readonly versions?: unknown;
  } | null;
  const versions = Array.isArray(page?.versions) ? page.versions.flatMap((each) => plainVersion(each) ?? []) : [];
  return versions.toSorted(compareVersions).at(-1) ?? null;
}

/** Numbers and dots alone: what is tried out before it is out is no newer version. */
const plainVersion = (version: unknown): string | null =>
  typeof version === 'string' && /^\d{1,9}(?:\.\d{1,9}){0,5}$/u.test(version) ? version : null;

export function compareVersions(one: string, other: string): number {
  const [ours, theirs] = [one, other].map((each) => each.split('.').map(Number));
  for (let at = 0; at < Math.max(ours?.length ?? 0, theirs?.length ?? 0); at += 1) {
    const difference = (ours?.[at] ?? 0) - (theirs?.[at] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}
