// Which runtime may be given to others: the official release, as its own installer brought it.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { runtimeDir, say, SetupProblem } from './project.mjs';

export const OFFICIAL = 'official release';
/** For a build that others get: packages an official runtime or nothing. */
export const RELEASE = '--release';

/**
 * Whether what is packaged may be given to others. A runtime for development and tests is packaged too, so that what
 * packaging makes can be tried, but never for a release, and what comes of it carries that in its name.
 */
export function isForRelease(args, directory = runtimeDir) {
  const stamp = join(directory, 'source.json');
  const source = existsSync(stamp) ? JSON.parse(readFileSync(stamp, 'utf8')).source : 'unknown';
  if (source === OFFICIAL) return true;
  if (args.includes(RELEASE))
    throw new SetupProblem(
      `The Electron runtime here is for development and tests only (${source}), so no release is made of it. Remove .runtime and run this where Electron's release host can be reached.`,
    );
  say(`this build is NOT FOR RELEASE: its Electron runtime is for development and tests only (${source}).`);
  return false;
}
