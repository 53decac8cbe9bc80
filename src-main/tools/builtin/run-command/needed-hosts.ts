import type { NeededHosts } from '#contract/vocabulary/network.js';
import { parseAllowedHost } from '../../../domain/policy/allowed-hosts.js';
import { isLoopback } from '../../../domain/commands/reading/hosts/addresses.js';
import type { Reading } from '../../../domain/commands/reading/reading.js';

/** No name of the domain name system is longer, with a port. */
const MAX_HOST_LENGTH = 262;
const MAX_HOSTS = 100;

/** Lists the hosts that a command is known to need, and that can be allowed by name. */
export function listNeededHosts({ hosts, anyHost, onlyReads }: Reading): NeededHosts {
  const named = hosts.filter(mayBeNamed).slice(0, MAX_HOSTS);
  return { hosts: named, others: anyHost || named.length < hosts.length || (hosts.length === 0 && !onlyReads) };
}

/**
 * Whether a host may be allowed by name. Each port of this machine is somebody else: without one, nobody knows who is
 * meant.
 */
function mayBeNamed(host: string): boolean {
  const read = host.length > MAX_HOST_LENGTH ? null : parseAllowedHost(host);
  return read?.ok === true && !(isLoopback(host) && read.allowed.port === null);
}
