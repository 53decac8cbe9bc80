import type { Confinement } from '#contract/vocabulary/calls.js';
import { parseAllowedHost } from '../../domain/policy/allowed-hosts.js';
import type { CommandRequest } from '../../domain/ports/command-runner.js';
import { bridgeWords, findPerl, INSIDE_SOCKET } from '../proxy/bridge.js';
import type { Reach } from '../proxy/reach.js';
import type { Availability } from './availability.js';
import { bubblewrapArguments, FILTER_DESCRIPTOR, findPathsNotShown } from './bubblewrap.js';
import type { EnvironmentVariables } from './hidden-paths.js';
import type { KeptPaths } from './workspace-mounts.js';

/** The confinement of one command. Where confinement is required and can't be had, nothing runs. */
export type ConfinementChoice = PossibleConfinement | { readonly possible: false; readonly reason: string };

export interface PossibleConfinement {
  readonly possible: true;
  readonly confinement: Confinement;
  /** Where there is any, a proxy has to listen at the socket that `prefix` is given. */
  readonly reach: Reach | null;
  /** How many processes it takes itself. */
  readonly ownProcesses: number;
  /** The arguments before the command's own words. */
  readonly prefix: (networkSocket: string, kept: KeptPaths) => readonly string[];
  /** The folders outside it that it said it didn't find because they are hidden, and that it could be let read. */
  readonly notShown: (said: string) => readonly string[];
}

export function chooseConfinement(
  availability: Availability,
  request: Pick<CommandRequest, 'config' | 'network' | 'sees' | 'readable'> & {
    /** Null for a program that has nothing of a workspace. */
    readonly workingDirectory: string | null;
    /** The paths that a program reads besides what commands read. */
    readonly reads?: readonly string[];
    /** Copies that are mounted over the originals. */
    readonly copies?: readonly { readonly at: string; readonly from: string }[];
    /** A folder of ours that it has to itself and may write to. */
    readonly ownHome?: string | null;
    /** Where it has no network, whether it is seen what it would have reached, by a proxy that refuses all of it. */
    readonly showsRefused?: boolean;
    /** Whether it is Git's own, and may write to what is. */
    readonly writesGit?: boolean;
  },
  machine: {
    readonly homes: readonly string[];
    readonly environment?: EnvironmentVariables;
    /** Asked when the command starts. */
    readonly hidden: () => readonly string[];
    readonly writable: () => readonly string[];
  },
): ConfinementChoice {
  const { confinement, allowed_hosts: entries, max_processes, ...settings } = request.config.tools.run_command;
  const anyHost = settings.network || request.network === 'any';
  const allowed = request.network === 'any' ? [] : request.network;
  if (confinement === 'off') return UNCONFINED;
  if (!availability.available) {
    if (confinement === 'preferred') return UNCONFINED;
    const rule = 'Commands must be confined (tools.run_command.confinement = "required") and can’t be';
    return { possible: false, reason: `${rule}: ${availability.problem}` };
  }
  const hosts = [...entries, ...allowed].map(parseAllowedHost);
  const wrong = hosts.find((host) => !host.ok);
  if (wrong !== undefined) return { possible: false, reason: `A host that commands may reach: ${wrong.problem}.` };
  const isOpen = anyHost || hosts.length > 0;
  const perl = isOpen || request.showsRefused === true ? findPerl() : null;
  if (isOpen && perl === null) return { possible: false, reason: NO_PERL };
  const asked = {
    bwrap: availability.bwrap,
    workspace: request.workingDirectory,
    sees: request.sees,
    reads: request.reads ?? [],
    copies: request.copies ?? [],
    ownHome: request.ownHome ?? null,
    readable: [...request.config.tools.run_command.readable, ...request.readable],
    repository: request.writesGit === true ? ('write' as const) : ('read' as const),
    writable: machine.writable(),
    homes: machine.homes,
    homeAllowlist: request.config.tools.run_command.home_allowlist,
    environment: machine.environment ?? {},
    disableNestedNamespaces: availability.disableNestedNamespaces,
    filtersCalls: availability.filtersCalls,
    showsMounts: availability.showsMounts,
  };
  return {
    possible: true,
    confinement: isOpen ? 'network' : 'confined',
    reach: perl !== null ? { anyHost, hosts: hosts.flatMap((host) => (host.ok ? [host.allowed] : [])) } : null,
    ownProcesses: perl === null ? BUBBLEWRAP_PROCESSES : BUBBLEWRAP_PROCESSES + 1,
    prefix: (networkSocket, kept) => [
      ...bubblewrapArguments({
        ...asked,
        hidden: machine.hidden(),
        kept,
        networkSocket: perl === null ? null : { path: networkSocket, inside: INSIDE_SOCKET },
      }),
      ...(perl === null ? [] : bridgeWords(perl)),
      ...processLimitWords(max_processes),
    ],
    notShown: (said) => findPathsNotShown(asked, machine.hidden(), said),
  };
}

/**
 * Counted inside, where only the command's own processes count. Well above what is allowed: who is refused a process
 * may end, or go on without, and the watch, which ends the command and names the limit, must have seen it passed.
 */
export const processLimitWords = (mostProcesses: number): readonly string[] => [
  '/bin/sh',
  '-c',
  // Where bubblewrap takes no filter of system calls, it leaves it open.
  `ulimit -u "$0" 2>/dev/null || ulimit -p "$0" 2>/dev/null; exec "$@" ${FILTER_DESCRIPTOR}<&-`,
  String(2 * mostProcesses + 64),
];

/** Outside, and as the first process inside. */
export const BUBBLEWRAP_PROCESSES = 2;

const UNCONFINED: PossibleConfinement = {
  possible: true,
  confinement: 'unconfined',
  reach: null,
  ownProcesses: 0,
  prefix: () => [],
  notShown: () => [],
};

const NO_PERL =
  'The command may use the network, and the only way there needs Perl, which is not installed. Install the package ' +
  '“perl”, or let it have no network (tools.run_command.network = false, and tools.run_command.allowed_hosts empty).';
