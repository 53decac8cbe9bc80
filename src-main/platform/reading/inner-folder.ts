import { realpathSync, statSync } from 'node:fs';
import { join, sep } from 'node:path';

/** Resolves a folder below another; null where there is none, or where it resolves to outside. */
export function resolveInnerFolder(folder: string, relative: string): string | null {
  try {
    const outer = realpathSync(folder);
    const inner = realpathSync(join(outer, relative));
    const isInside = inner === outer || inner.startsWith(outer === sep ? sep : `${outer}${sep}`);
    return isInside && statSync(inner).isDirectory() ? inner : null;
  } catch {
    return null;
  }
}
