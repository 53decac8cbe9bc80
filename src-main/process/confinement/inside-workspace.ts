import { controlFiles, foldersBetween, type Kind } from './control-files.js';
import type { SharedFiles } from './shared-files.js';

/** What is mounted over one path of the workspace. All paths are canonical: no link is given to bubblewrap. */
export interface InnerMount {
  readonly path: string;
  /** `own` is as it was, but can't be moved away: what is in it would go with it, and could be made anew. */
  readonly as: 'own' | 'read-only' | 'covered';
  readonly kind: Kind;
}

/**
 * Bubblewrap follows links, where it mounts from and where it mounts to; a path that a command made a link of would
 * bring what lies outside into the workspace, or put it in the place of what was covered. So each path is used only as
 * where it really is, and only if that is in the workspace. A link that leads out is left: what it leads to is
 * read-only, or covered, like everything else outside.
 *
 * Only what exists can be mounted over without leaving traces; what a command creates is shown among the changed files.
 */
export function mountsInside(
  workspace: string,
  covered: readonly { readonly path: string; readonly kind: Kind }[],
  find: (path: string) => { readonly path: string; readonly kind: Kind } | null,
  shared: SharedFiles = { readOnly: [], own: [] },
): readonly InnerMount[] {
  const wanted = new Map<string, InnerMount>();
  const inWorkspace = (paths: readonly string[]): readonly string[] => paths.map((path) => `${workspace}/${path}`);
  for (const each of inWorkspace(shared.own)) {
    const found = find(each);
    if (found?.path === each) wanted.set(each, { ...found, as: 'own' });
  }
  for (const each of [...controlFiles(workspace), ...inWorkspace(shared.readOnly)]) {
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
    if (!holders.includes('read-only')) {
      for (const path of above) mounts.set(path, { path, as: 'own', kind: 'folder' });
    } else if (mount.as === 'read-only') continue;
    mounts.set(mount.path, mount);
  }
  return [...mounts.values()].toSorted(byPath);
}

/** What holds another comes before it. */
const byPath = (a: { readonly path: string }, b: { readonly path: string }): number => (a.path < b.path ? -1 : 1);
