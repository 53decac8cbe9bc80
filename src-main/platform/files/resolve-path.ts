import { unpatchedFs } from './unpatched-fs.js';

const { readdirSync, realpathSync } = unpatchedFs;

/** Where a path leads; null where it leads nowhere. */
export function resolvePath(path: string): string | null {
  try {
    return realpathSync(path);
  } catch {
    return null;
  }
}

/** Where a path leads; the path itself where it leads nowhere. */
export const realPathOf = (path: string): string => resolvePath(path) ?? path;

/** What stands in a folder; nothing where it can't be read. */
export function listNames(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
