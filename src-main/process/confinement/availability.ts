import { spawn } from 'node:child_process';
import { Writable } from 'node:stream';
import { text } from 'node:stream/consumers';
import type { ConfinementState } from '../../domain/ports/command-runner.js';
import { FILTER_DESCRIPTOR, type ConfinementMeans, namespaceArguments } from './bubblewrap.js';
import { CHECK_OPTIONS, CHECKING_SHELL, checkedStartWords } from './checked-start.js';
import { isExecutable } from '../environment/system-files.js';
import { buildSeccompFilter } from './seccomp/seccomp-filter.js';

/** Whether this machine can confine commands: found out by doing it once. */
export type Availability =
  | (ConfinementMeans & {
      readonly available: true;
      readonly bwrap: string;
      /** Whether it can be seen from outside what was mounted, before anything runs (checked-start.ts). */
      readonly showsMounts: boolean;
    })
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
  filter: Buffer | null = buildSeccompFilter(),
): Promise<Availability> {
  if (platform !== 'linux') {
    const system = platform === 'darwin' ? 'macOS' : platform === 'win32' ? 'Windows' : platform;
    return {
      available: false,
      problem: `This version of Gatehouse can’t sandbox commands on ${system}; on Linux it can.`,
    };
  }
  const bwrap = places.find(isExecutable);
  if (bwrap === undefined) {
    return {
      available: false,
      problem: 'bubblewrap is not installed. Install the package “bubblewrap”; Gatehouse then finds it.',
    };
  }
  let said = '';
  for (const means of filter === null ? MEANS.filter(({ filtersCalls }) => !filtersCalls) : MEANS) {
    const refused = await tryConfinement([bwrap, ...namespaceArguments(means), ...TRIAL], filter);
    if (refused !== null) {
      said = refused;
      continue;
    }
    const checking = checkedStartWords(CHECKING_SHELL, SHOWN, []);
    const looking = await tryConfinement(
      [...checking, bwrap, ...namespaceArguments(means), ...CHECK_OPTIONS, ...TRIAL],
      filter,
    );
    return { available: true, bwrap, ...means, showsMounts: looking === null };
  }
  return { available: false, problem: explainFailure(said) };
}

/** The best first. An older bubblewrap can't refuse namespaces of one's own: then only the filter does. */
const MEANS: readonly ConfinementMeans[] = [
  { disableNestedNamespaces: true, filtersCalls: true },
  { disableNestedNamespaces: false, filtersCalls: true },
  { disableNestedNamespaces: true, filtersCalls: false },
  { disableNestedNamespaces: false, filtersCalls: false },
];

export const confinementState = (availability: Availability): ConfinementState =>
  availability.available
    ? { available: true, problem: describeLacking(availability) }
    : { available: false, problem: availability.problem };

/** The freedoms of a confined command on this machine that it lacks on others. */
function describeLacking({ disableNestedNamespaces, filtersCalls }: ConfinementMeans): string | null {
  if (filtersCalls) return null;
  const namespaces = disableNestedNamespaces ? '' : ', make namespaces of its own';
  return `System calls can’t be filtered on this machine, so it may use your session’s keys${namespaces} and reach more of the kernel.`;
}

/** Stands for a workspace. */
const SHOWN = '/usr';
const TRIAL: readonly string[] =
  `--ro-bind / / --dev /dev --proc /proc --tmpfs /tmp --ro-bind ${SHOWN} ${SHOWN} -- /bin/true`.split(' ');

/** Null when it worked, else what it said. */
async function tryConfinement(
  [program = '', ...args]: readonly string[],
  filter: Buffer | null,
): Promise<string | null> {
  const pipes = Array.from({ length: FILTER_DESCRIPTOR + 1 }, (_, at): 'pipe' | 'ignore' =>
    at === 2 || at === FILTER_DESCRIPTOR ? 'pipe' : 'ignore',
  );
  const child = spawn(program, args, { timeout: 10_000, env: { PATH: '/usr/bin:/bin' }, stdio: pipes });
  const ended = new Promise<string | null>((resolve) => {
    child.once('error', ({ message }) => resolve(message));
    child.once('close', (code, signal) => {
      if (code === 0) resolve(null);
      else resolve(signal === null ? `it ended with exit code ${code}` : `it was ended by ${signal}`);
    });
  });
  const stream = (child.stdio as readonly unknown[])[FILTER_DESCRIPTOR];
  if (stream instanceof Writable) {
    // Who does not ask for it does not read it.
    stream.on('error', () => undefined);
    stream.end(filter ?? '');
  }
  const said = child.stderr === null ? '' : await text(child.stderr);
  const how = await ended;
  return how === null ? null : said.trim() || how;
}

function explainFailure(said: string): string {
  const advice = /permission denied|not permitted|namespace|uid map/iu.test(said)
    ? 'This system does not let programs make user namespaces. On Ubuntu 24.04 and later, allow it for bwrap with an AppArmor profile; elsewhere see the sysctls kernel.unprivileged_userns_clone and user.max_user_namespaces.'
    : 'Check whether bwrap runs in a terminal.';
  return `bubblewrap couldn’t sandbox a trial command (${said.slice(0, 300)}). ${advice}`;
}
