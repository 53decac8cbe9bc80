// Which runtime may be given to others: the official release, as its own installer brought it.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { runtimeDir, say, SetupProblem } from './project.mjs';

export const OFFICIAL = 'official release';
/** Packages whatever runtime is there, to try out what packaging makes. */
export const NOT_FOR_RELEASE = '--not-for-release';

/** Throws where the runtime is one for development and tests only, unless it was said that nobody else will get it. */
export function checkForRelease(args, directory = runtimeDir) {
  const stamp = join(directory, 'source.json');
  const source = existsSync(stamp) ? JSON.parse(readFileSync(stamp, 'utf8')).source : 'unknown';
  if (source === OFFICIAL) return;
  if (!args.includes(NOT_FOR_RELEASE))
    throw new SetupProblem(
      `The Electron runtime here is for development and tests only (${source}), so it is not packaged. Remove .runtime and run this where Electron's release host can be reached, or add ${NOT_FOR_RELEASE} for a build that nobody else gets.`,
    );
  say(`this build is NOT FOR RELEASE: its Electron runtime is for development and tests only (${source}).`);
}
