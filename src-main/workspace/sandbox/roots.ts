import { isAbsolute, join, relative as relativePath, resolve, sep } from 'node:path';
import { explainRefusedRoot } from '../../domain/sensitive/sensitive-places.js';
import { pathFromTop } from '../../platform/git/repository-top.js';
import { DirectoryHandle } from '../handles/directory-handle.js';
import { UnsafePathError } from '../handles/unsafe-path-error.js';
import { walk } from '../handles/walk.js';
import { unpatchedFsPromises } from '../../platform/files/unpatched-fs.js';

const { lstat, realpath } = unpatchedFsPromises;

/** The settings on the folders that tools may touch. */
export interface ConfiguredRoots {
  /** The person's own, or the defaults. */
  readonly own: readonly string[];
  /** The roots that the folder's settings narrow it to; null where they set none. */
  readonly folders: readonly string[] | null;
}

export interface RefusedRoot {
  readonly asked: string;
  readonly why: string;
}

export interface ResolvedRoots {
  /** Canonical. */
  readonly roots: readonly string[];
  readonly refused: readonly RefusedRoot[];
}

interface ResolvedRoot {
  /** The path as it was written, made absolute. */
  readonly lexical: string;
  readonly canonical: string;
}

/**
 * Where the roots really are. What lies in the workspace comes with the folder, and whoever changes the folder could make a
 * link of it: so no root is reached through a link in there, whoever names it. Elsewhere the person may use links as they
 * like. What the folder's settings name must be reached from one of the person's roots, and through no link at all; and it
 * is no place that steers other programs: what is in it would look harmless from there.
 */
export async function findRoots(workspace: string, { own, folders }: ConfiguredRoots): Promise<ResolvedRoots> {
  const refused: RefusedRoot[] = [];
  const found: ResolvedRoot[] = [];
  for (const asked of own) {
    const root = await ownRoot(workspace, asked);
    if (typeof root === 'string') refused.push({ asked, why: root });
    else found.push(root);
  }
  const all = unique(found);
  if (folders === null) return { roots: all, refused };
  const kept: string[] = [];
  const whole = (await canonicalFolder(workspace)) ?? workspace;
  for (const asked of folders) {
    const root = await resolveInside(found, resolve(workspace, asked));
    const why = typeof root === 'string' ? root : explainSteering(root.canonical, whole, found);
    if (typeof root === 'string' || why !== null) refused.push({ asked, why: why ?? MISSING });
    else kept.push(root.canonical);
  }
  // Settings that ask for nothing but what they can't have have narrowed nothing.
  return kept.length === 0 ? { roots: all, refused } : { roots: [...new Set(kept)], refused };
}

const unique = (roots: readonly ResolvedRoot[]): readonly string[] => [
  ...new Set(roots.map(({ canonical }) => canonical)),
];

async function ownRoot(workspace: string, asked: string): Promise<ResolvedRoot | string> {
  const lexical = resolve(workspace, asked);
  const folder = await canonicalFolder(workspace);
  if (folder === null) return MISSING;
  const inside = below(workspace, lexical) ?? below(folder, lexical);
  if (inside !== null) return walkToRoot({ lexical: workspace, canonical: folder }, inside, lexical);
  const canonical = await canonicalFolder(lexical);
  return canonical === null ? MISSING : { lexical, canonical };
}

async function resolveInside(roots: readonly ResolvedRoot[], lexical: string): Promise<ResolvedRoot | string> {
  let why = 'it lies outside the folders that you allow';
  for (const root of roots) {
    const inside = below(root.lexical, lexical) ?? below(root.canonical, lexical);
    if (inside === null) continue;
    const found = await walkToRoot(root, inside, lexical);
    if (typeof found !== 'string') return found;
    why = found;
  }
  return why;
}

/** Why a folder's settings can't have it; judged from all that holds it. */
function explainSteering(root: string, workspace: string, own: readonly ResolvedRoot[]): string | null {
  const ways = own.map(({ canonical }) => below(canonical, root)).filter((way) => way !== null);
  for (const way of [pathFromTop(root, workspace), ...ways]) {
    const what = explainRefusedRoot(way);
    if (what !== null) return `a folder’s own settings can’t have it: ${what}`;
  }
  return null;
}

/** Goes there from a folder whose place is known, and follows no link on the way. */
async function walkToRoot(from: ResolvedRoot, inside: string, lexical: string): Promise<ResolvedRoot | string> {
  try {
    await using handle = await DirectoryHandle.openRoot(from.canonical);
    await walk(handle, inside, async () => undefined);
    return { lexical, canonical: inside === '' ? from.canonical : join(from.canonical, inside) };
  } catch (error) {
    return error instanceof UnsafePathError && error.reason === 'link' ? LINK : MISSING;
  }
}

const MISSING = 'there is no such folder';
const LINK = 'a link is on the way there, and none is followed';

/** The way from one folder to what is inside it, forward slashes; null where it is not inside. */
function below(outer: string, inner: string): string | null {
  const way = relativePath(outer, inner);
  if (way === '..' || way.startsWith(`..${sep}`) || isAbsolute(way)) return null;
  return sep === '/' ? way : way.replaceAll(sep, '/');
}

async function canonicalFolder(path: string): Promise<string | null> {
  try {
    const canonical = await realpath(path);
    return (await lstat(canonical)).isDirectory() ? canonical : null;
  } catch {
    return null;
  }
}
