import type { Confinement } from '../../../src-preload/contract/calls.js';
import type { CommandRequest } from '../../domain/ports.js';
import type { Availability } from './availability.js';
import { bubblewrapArguments } from './bubblewrap.js';

/** What will be in force for one command. Where confinement is required and can't be had, nothing runs. */
export type ConfinementChoice =
  | { readonly possible: true; readonly confinement: Confinement; readonly prefix: readonly string[] }
  | { readonly possible: false; readonly reason: string };

export function chooseConfinement(
  availability: Availability,
  request: Pick<CommandRequest, 'config' | 'workingDirectory' | 'network'>,
  machine: { readonly home: string | undefined; readonly hidden: readonly string[] },
): ConfinementChoice {
  const { confinement, allowed_hosts: hosts, ...settings } = request.config.tools.run_command;
  const network = settings.network || request.network;
  const unconfined: ConfinementChoice = { possible: true, confinement: 'unconfined', prefix: [] };
  if (confinement === 'off') return unconfined;
  if (!availability.available) {
    if (confinement === 'preferred') return unconfined;
    return {
      possible: false,
      reason: `Commands must be confined (tools.run_command.confinement = "required") and can’t be: ${availability.problem}`,
    };
  }
  if (!network && hosts.length > 0) {
    return {
      possible: false,
      reason:
        'tools.run_command.allowed_hosts names hosts, but this version of Gatehouse can’t open the network to single hosts. ' +
        'Empty the list (no network at all) or set tools.run_command.network = true (all of it).',
    };
  }
  return {
    possible: true,
    confinement: network ? 'network' : 'confined',
    prefix: [
      ...bubblewrapArguments({
        bwrap: availability.bwrap,
        workspace: request.workingDirectory,
        home: machine.home,
        hidden: machine.hidden,
        network,
        disableNestedNamespaces: availability.disableNestedNamespaces,
      }),
      // Counted inside, where only the command's own processes count.
      '/bin/sh',
      '-c',
      'ulimit -u "$0" 2>/dev/null || ulimit -p "$0" 2>/dev/null; exec "$@"',
      String(request.config.tools.run_command.max_processes),
    ],
  };
}
