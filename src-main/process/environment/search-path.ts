import { basename, dirname, isAbsolute, join, resolve } from 'node:path';
import { isExecutable } from './system-files.js';
import { resolvePath } from '../../platform/files/resolve-path.js';

/** Where programs are looked for when nothing else is left. */
const OF_THE_SYSTEM = '/usr/local/bin:/usr/bin:/bin';

/**
 * The PATH of whatever is started: commands, hooks, programs, servers, workers. A relative or empty entry would run
 * programs out of the folder that the program is in. So would one that leads into a folder that tools may write to, or
 * could once (an activated virtual environment, `node_modules/.bin`): what was left there would answer to a name that a
 * person said yes to. Such programs are called by their path, or activated by the command itself. Made anew at each
 * start: a link may lead elsewhere by then.
 */
export function buildSearchPath(path: string, writable: readonly string[]): string {
  const entries = path
    .split(':')
    .filter((entry) => entry.startsWith('/') && findFolderAround(entry, writable) === null);
  return entries.length === 0 ? OF_THE_SYSTEM : entries.join(':');
}

/** The folder of these that a path lies in, as it is written or by where it leads; null where it is none. */
export function findFolderAround(path: string, folders: readonly string[]): string | null {
  const ways = [resolve(path), resolveExisting(resolve(path))];
  const isIn = (folder: string): boolean => ways.some((way) => way === folder || way.startsWith(`${folder}/`));
  return folders.find((folder) => isIn(folder) && !holdsTheSystem(folder)) ?? null;
}

/**
 * Whether the folder holds the system's programs. Who opens all of `/usr` has chosen so: without its programs nothing
 * would run.
 */
export const holdsTheSystem = (folder: string): boolean =>
  OF_THE_SYSTEM.split(':').some((path) => path === folder || path.startsWith(folder === '/' ? '/' : `${folder}/`));

/** The real path; of a file that does not exist yet, where it would be. */
function resolveExisting(path: string): string {
  const above = dirname(path);
  return resolvePath(path) ?? (above === path ? path : join(resolveExisting(above), basename(path)));
}

/**
 * Finds a program by its name in this PATH, or by its path. A program found by name alone lies in no folder that tools
 * may write to, wherever it leads.
 */
export function findProgram(
  command: string,
  { path, cwd, writable }: { readonly path: string; readonly cwd: string | null; readonly writable: readonly string[] },
): string | null {
  if (command.includes('/')) {
    const place = isAbsolute(command) || cwd === null ? command : resolve(cwd, command);
    return isExecutable(place) ? place : null;
  }
  const places = path.split(':').map((folder) => join(folder, command));
  return places.find((place) => isExecutable(place) && findFolderAround(place, writable) === null) ?? null;
}
