import { compareVersions, isVersion } from './tool-identity.js';

/** A range of versions: from the lowest on, and below the bound; `exact` where one was asked for by itself. */
export interface VersionRange {
  readonly text: string;
  readonly from: string;
  /** The bound. Null: all above. */
  readonly below: string | null;
  readonly exact: boolean;
}

export const ANY_VERSION: VersionRange = { text: '*', from: '0.0.0', below: null, exact: false };

/** Reads a range: `^2.1.0`, `~2.1`, `2.x`, `*`, an exact version. Null for what is no range. */
export function parseRange(text: string): VersionRange | null {
  const asked = text.trim();
  if (asked === '*' || asked === 'x') return { ...ANY_VERSION, text: asked };
  if (isVersion(asked))
    return { text: asked, from: asked, below: raisePart(asked.split('.').map(BigInt), 2), exact: true };
  const match = /^(\^|~)?(0|[1-9]\d*)(?:\.(0|[1-9]\d*|x|\*))?(?:\.(0|[1-9]\d*|x|\*))?$/u.exec(asked);
  if (match === null) return null;
  const [, sign = '', ...said] = match;
  const open = said.findIndex((part) => part === undefined || part === 'x' || part === '*');
  const known = said.slice(0, open === -1 ? 3 : open).map((part) => BigInt(part ?? 0));
  // A number behind an open part has no meaning.
  if (open !== -1 && said.slice(open).some((part) => part !== undefined && /\d/u.test(part))) return null;
  const parts = [...known, 0n, 0n, 0n].slice(0, 3);
  return { text: asked, from: parts.join('.'), below: raisePart(parts, findBoundIndex(sign, known)), exact: false };
}

/**
 * The index of the part that has to stay below the next: the first that is not 0 for `^`, the second for `~`, else the
 * last that is said.
 */
function findBoundIndex(sign: string, known: readonly bigint[]): number {
  if (sign === '~') return Math.min(1, known.length - 1);
  if (sign === '') return known.length - 1;
  const first = known.findIndex((part) => part !== 0n);
  return first === -1 ? known.length - 1 : first;
}

const raisePart = (parts: readonly bigint[], at: number): string =>
  parts.map((part, place) => (place < at ? part : place === at ? part + 1n : 0n)).join('.');

export const isInRange = (version: string, { from, below }: VersionRange): boolean =>
  compareVersions(version, from) >= 0 && (below === null || compareVersions(version, below) < 0);
