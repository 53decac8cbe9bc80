import { lstatSync } from 'node:fs';
import { dirname } from 'node:path';

export type MountKind = 'folder' | 'file';

/** The kind of the path itself: a link has none. */
export function kindOf(path: string): MountKind | null {
  try {
    const facts = lstatSync(path);
    if (facts.isSymbolicLink()) return null;
    return facts.isDirectory() ? 'folder' : 'file';
  } catch {
    return null;
  }
}

/** One mount over a path of the workspace. All paths are canonical: no link is given to bubblewrap. */
export interface InnerMount {
  readonly path: string;
  /** `own` is as it was, but can't be moved away: what is in it would go with it, and could be made anew. */
  readonly as: 'own' | 'read-only' | 'covered';
  readonly kind: MountKind;
  /** The file that replaces a covered one; left out, nothing does. */
  readonly by?: string;
}

/** Absolute paths. */
export interface KeptPaths {
  /**
   * The read-only paths: control files of other programs (`workspace/control/`), files with other names outside
   * (`shared-files.ts`), and files that would not be kept where nobody was asked (`watching/keeping/`): then perhaps
   * the workspace itself.
   */
  readonly readOnly: readonly string[];
  /** Writable in what is read-only. */
  readonly own: readonly string[];
  /** Hidden from it, and the empty file that replaces each. Left out: nothing. */
  readonly covered?: { readonly paths: readonly string[]; readonly by: string };
}

/**
 * Bubblewrap follows links, where it mounts from and where it mounts to; a path that a command made a link of would
 * bring what lies outside into the workspace, or put it in the place of what was covered. So each path is used only as
 * where it really is, and only if that is in the workspace. A link that leads out is left: what it leads to is
 * read-only, or covered, like everything else outside. Only what exists can be mounted over without leaving traces;
 * control files that a command creates are quarantined after it.
 */
export function buildMountsInside(
  workspace: string,
  kept: KeptPaths,
  covered: readonly { readonly path: string; readonly kind: MountKind; readonly by?: string }[],
  find: (path: string) => { readonly path: string; readonly kind: MountKind } | null,
): readonly InnerMount[] {
  const wanted = new Map<string, InnerMount>();
  const isWholeReadOnly = kept.readOnly.includes(workspace);
  for (const each of kept.own) {
    const found = find(each);
    if (found?.path === each) wanted.set(each, { ...found, as: 'own' });
  }
  for (const each of kept.readOnly) {
    const found = find(each);
    if (found?.path.startsWith(`${workspace}/`) === true) wanted.set(found.path, { ...found, as: 'read-only' });
  }
  for (const each of covered) wanted.set(each.path, { ...each, as: 'covered' });
  const mounts = new Map<string, InnerMount>();
  for (const mount of [...wanted.values()].toSorted(byPath)) {
    const above = foldersBetween(workspace, mount.path);
    const holders = above.map((path) => wanted.get(path)?.as);
    if (holders.includes('covered')) continue;
    // In what is read-only nothing can be moved.
    if (!isWholeReadOnly && !holders.includes('read-only')) {
      for (const path of above) mounts.set(path, { path, as: 'own', kind: 'folder' });
    } else if (mount.as === 'read-only') continue;
    mounts.set(mount.path, mount);
  }
  return [...mounts.values()].toSorted(byPath);
}

/** Orders paths so that a folder comes before what it contains. */
const byPath = (a: { readonly path: string }, b: { readonly path: string }): number => (a.path < b.path ? -1 : 1);

/** The folders between the two, outermost first. */
function foldersBetween(outer: string, path: string): readonly string[] {
  const folders: string[] = [];
  for (let folder = dirname(path); folder.startsWith(`${outer}/`); folder = dirname(folder)) folders.unshift(folder);
  return folders;
}
