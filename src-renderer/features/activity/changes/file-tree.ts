import type { ChangedPath } from '#contract/vocabulary/activity/changes.js';

/** A line of the tree: a folder, or a file in the one above it. */
export type TreeRow =
  | { readonly kind: 'folder'; readonly depth: number; readonly name: string; readonly path: string }
  | { readonly kind: 'file'; readonly depth: number; readonly name: string; readonly file: ChangedPath };

/** Files below their folders, each folder once. */
export function buildTreeRows(files: readonly ChangedPath[]): readonly TreeRow[] {
  const rows: TreeRow[] = [];
  let open: readonly string[] = [];
  for (const { file, parts } of files.map(split).toSorted(byParts)) {
    const folders = parts.slice(0, -1);
    const shared = folders.findIndex((part, at) => part !== open[at]);
    const kept = shared === -1 ? folders.length : shared;
    for (let depth = kept; depth < folders.length; depth += 1)
      rows.push({ kind: 'folder', depth, name: folders[depth] ?? '', path: folders.slice(0, depth + 1).join('/') });
    open = folders;
    rows.push({ kind: 'file', depth: folders.length, name: parts.at(-1) ?? '', file });
  }
  return rows;
}

const split = (file: ChangedPath) => ({ file, parts: file.path.split('/') });

/** Folders before the files beside them. */
function byParts(one: { readonly parts: readonly string[] }, other: { readonly parts: readonly string[] }): number {
  for (let at = 0; ; at += 1) {
    const [left, right] = [one.parts[at], other.parts[at]];
    if (left === undefined || right === undefined) return one.parts.length - other.parts.length;
    const [isFile, isOtherFile] = [at === one.parts.length - 1, at === other.parts.length - 1];
    if (isFile !== isOtherFile) return isFile ? 1 : -1;
    if (left !== right) return left < right ? -1 : 1;
  }
}
