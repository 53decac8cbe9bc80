import { resolve } from 'node:path';

const PROJECT = resolve('.');
const SHOWN_AT = '/mnt/project';

/**
 * The project may lie where no other user comes (in root’s home), or below /tmp, of which a confined command has its own. To a
 * program of another user it is shown at a place that everybody reaches, in a namespace of mounts that ends with that program:
 * on the machine nothing changes.
 */
export const SHOW_PROJECT = `mount -t tmpfs -o mode=755 tmpfs /mnt; mkdir ${SHOWN_AT}; mount --bind '${PROJECT}' ${SHOWN_AT}`;

/** Where what lies in the project is then. */
export const whereShown = (path: string): string =>
  path === PROJECT || path.startsWith(`${PROJECT}/`) ? `${SHOWN_AT}${path.slice(PROJECT.length)}` : path;

/** Runs a program as somebody in particular, who has the project at hand. */
export function asUser(user: number, cwd: string, words: readonly string[]): readonly [string, ...string[]] {
  const script = `${SHOW_PROJECT}; cd "$0"; exec setpriv --reuid ${user} --regid ${user} --clear-groups "$@"`;
  const shown = [cwd, ...words].map(whereShown);
  return ['unshare', '--mount', '--propagation', 'private', 'sh', '-euc', script, ...shown];
}
