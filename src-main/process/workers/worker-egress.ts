import { type AllowedHost, readAllowedHost } from '../../domain/policy/allowed-hosts.js';
import { WorkerProblem } from '../../domain/ports/sources/worker.js';
import { isNextToThisMachine } from '../../platform/addresses/reachable-addresses.js';
import type { ProxyWords } from '../proxy/filtering-proxy.js';
import type { Reach } from '../proxy/reach.js';

/** Each with its port: a worker reaches what its list names, and this machine only where it does. */
export function egressReach(entries: readonly string[]): Reach {
  return { anyHost: false, hosts: entries.map(readEgress) };
}

function readEgress(entry: string): AllowedHost {
  const read = readAllowedHost(entry);
  if (!read.ok) throw new WorkerProblem(`A host that the worker may reach: ${read.problem}.`);
  const { host, port } = read.allowed;
  if (port === null) throw new WorkerProblem(`A host that the worker may reach: “${entry}” has no port.`);
  // Whatever a package says: a cloud’s metadata has the machine’s own keys.
  if (isAddress(host) && isNextToThisMachine(host.replace(/^\[(.*)\]$/u, '$1')))
    throw new WorkerProblem(
      `A host that the worker may reach: “${entry}” is next to this machine, which no worker is let to.`,
    );
  return read.allowed;
}

const isAddress = (host: string): boolean => host.startsWith('[') || /^\d+(?:\.\d+){3}$/u.test(host);

export const WORKER_WORDS: ProxyWords = {
  notListed: 'is not in the worker’s egress_allowlist.',
  nextToIt: 'A worker reaches this machine only where its egress_allowlist names the address and the port.',
};
