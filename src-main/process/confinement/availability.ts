import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { ConfinementState } from '../../domain/ports.js';
import { namespaceArguments } from './bubblewrap.js';
import { CHECK_OPTIONS, CHECKING_SHELL, checkedStart } from './checked-start.js';
import { isExecutable } from '../system-files.js';

/** Whether this machine can confine commands: found out by doing it once. */
export type Availability =
  | {
      readonly available: true;
      readonly bwrap: string;
      readonly disableNestedNamespaces: boolean;
      /** Whether it can be seen from outside what was mounted, before anything runs (checked-start.ts). */
      readonly showsMounts: boolean;
    }
  | { readonly available: false; readonly problem: string };

/** Only places that a workspace can't write to. */
const PLACES: readonly string[] = [
  '/usr/bin/bwrap',
  '/usr/local/bin/bwrap',
  '/bin/bwrap',
  '/run/current-system/sw/bin/bwrap',
];

export async function findConfinement(
  platform: NodeJS.Platform,
  places: readonly string[] = PLACES,
): Promise<Availability> {
  if (platform !== 'linux') {
    const system = platform === 'darwin' ? 'macOS' : platform === 'win32' ? 'Windows' : platform;
    return {
      available: false,
      problem: `Commands can’t be confined on ${system} by this version of Gatehouse; on Linux they can.`,
    };
  }
  const bwrap = places.find(isExecutable);
  if (bwrap === undefined) {
    return {
      available: false,
      problem: 'bubblewrap is not installed. Install the package “bubblewrap”; Gatehouse looks for it again by itself.',
    };
  }
  const namespaces = (disableNestedNamespaces: boolean): readonly string[] =>
    namespaceArguments({ disableNestedNamespaces });
  const full = await attempt([bwrap, ...namespaces(true), ...TRIAL]);
  const older = full === null ? null : await attempt([bwrap, ...namespaces(false), ...TRIAL]);
  if (older !== null) return { available: false, problem: explain(older) };
  const disableNestedNamespaces = full === null;
  const looking = await attempt([
    ...checkedStart(CHECKING_SHELL, SHOWN, []),
    bwrap,
    ...namespaces(disableNestedNamespaces),
    ...CHECK_OPTIONS,
    ...TRIAL,
  ]);
  return { available: true, bwrap, disableNestedNamespaces, showsMounts: looking === null };
}

export const confinementState = (availability: Availability): ConfinementState =>
  availability.available ? { available: true, problem: null } : { available: false, problem: availability.problem };

/** Stands for a workspace. */
const SHOWN = '/usr';
const TRIAL: readonly string[] =
  `--ro-bind / / --dev /dev --proc /proc --tmpfs /tmp --ro-bind ${SHOWN} ${SHOWN} -- /bin/true`.split(' ');

/** Null when it worked, else what it said. */
async function attempt([program = '', ...args]: readonly string[]): Promise<string | null> {
  try {
    await promisify(execFile)(program, args, { timeout: 10_000, env: { PATH: '/usr/bin:/bin' } });
    return null;
  } catch (error) {
    const { stderr, message } = error as { stderr?: string; message: string };
    return (stderr ?? '').trim() || message;
  }
}

function explain(said: string): string {
  const advice = /permission denied|not permitted|namespace|uid map/iu.test(said)
    ? 'This system does not let programs make user namespaces. On Ubuntu 24.04 and later, allow it for bwrap with an AppArmor profile; elsewhere see the sysctls kernel.unprivileged_userns_clone and user.max_user_namespaces.'
    : 'See whether bwrap runs by itself in a terminal.';
  return `bubblewrap could not confine a trial command (${said.slice(0, 300)}). ${advice}`;
}
