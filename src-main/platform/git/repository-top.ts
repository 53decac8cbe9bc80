import { dirname, join, parse, relative, sep } from 'node:path';
import { unpatchedFs } from '../files/unpatched-fs.js';

const { lstatSync } = unpatchedFs;

/** Finds the outermost of these folders that holds a folder, or is it; null where none does. */
export const findOutermost = (folder: string, among: readonly string[]): string | null =>
  among
    .filter((each) => folder === each || folder.startsWith(each.endsWith(sep) ? each : `${each}${sep}`))
    .toSorted((one, other) => one.length - other.length)[0] ?? null;

/** The folders from this one up, itself first. */
export function listFoldersUp(folder: string): readonly string[] {
  const folders = [folder];
  for (let at = folder; dirname(at) !== at; at = dirname(at)) folders.push(dirname(at));
  return folders;
}

/** The top of the repository that holds this folder: a worktree's or submodule's own. Null where none does. */
export const findRepositoryTop = (folder: string): string | null =>
  listFoldersUp(folder).find((each) => pathExists(join(each, '.git'))) ?? null;

/**
 * The way to a root from the folder that programs take for the whole: the repository that holds it, or the workspace where
 * that holds it too and lies further out; where neither does, from the top of all. Forward slashes; empty where it is that
 * folder itself. Both are canonical.
 */
export function pathFromTop(root: string, workspace: string): string {
  const repository = findRepositoryTop(root) ?? undefined;
  const holds = root === workspace || root.startsWith(`${workspace}${sep}`);
  const whole =
    holds && repository?.startsWith(`${workspace}${sep}`) !== false ? workspace : (repository ?? parse(root).root);
  const way = relative(whole, root);
  return sep === '/' ? way : way.replaceAll(sep, '/');
}

export function pathExists(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
  } catch {
    return false;
  }
}
