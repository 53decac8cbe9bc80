import { statSync } from 'node:fs';
import { dirname } from 'node:path';

/**
 * Whether a command could get to the path at all. Confined it has no capabilities, so a folder that is somebody else's
 * and closed to others is closed to it too, even if we are root; bubblewrap has none either, and could not cover what
 * is in there. In doubt it could.
 */
export function isWithinReach(path: string): boolean {
  for (let folder = dirname(path); folder !== '/'; folder = dirname(folder)) {
    try {
      const { uid, mode } = statSync(folder);
      if (uid !== process.getuid?.() && (mode & OPEN_TO_OTHERS) === 0) return false;
    } catch {
      return true;
    }
  }
  return true;
}

/** The group's bit counts, since what an access list grants to single people shows there. */
const OPEN_TO_OTHERS = 0o011;
