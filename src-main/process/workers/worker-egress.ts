import { type AllowedHost, parseAllowedHost } from '../../domain/policy/allowed-hosts.js';
import { WorkerProblem } from '../../domain/ports/sources/worker.js';
import { isMetadataHost } from '../../platform/addresses/reachable-addresses.js';
import type { ProxyWords } from '../proxy/filtering-proxy.js';
import type { Reach } from '../proxy/reach.js';

/**
 * The reach of a worker, each host with its port: what its list names, and this machine only where the list does.
 * Whatever a package says, a cloud’s metadata, which has the machine’s own keys, is not among it: `left` tells what was
 * left out for that.
 */
export function egressReach(entries: readonly string[]): Reach & { readonly left: readonly string[] } {
  const read = entries.map((entry) => ({ entry, allowed: readEgress(entry) }));
  const isMetadata = ({ allowed }: (typeof read)[number]): boolean =>
    isMetadataHost(allowed.host.replace(/^\[(.*)\]$/u, '$1'));
  return {
    anyHost: false,
    hosts: read.filter((each) => !isMetadata(each)).map(({ allowed }) => allowed),
    left: read.filter(isMetadata).map(({ entry }) => entry),
  };
}

function readEgress(entry: string): AllowedHost {
  const read = parseAllowedHost(entry);
  if (!read.ok) throw new WorkerProblem(`A host that the worker may reach: ${read.problem}.`);
  if (read.allowed.port === null) throw new WorkerProblem(`A host that the worker may reach: “${entry}” has no port.`);
  return read.allowed;
}

export const WORKER_WORDS: ProxyWords = {
  notListed: 'is not in the worker’s egress_allowlist.',
  nextToIt: 'A worker reaches this machine only where its egress_allowlist names the address and the port.',
};
