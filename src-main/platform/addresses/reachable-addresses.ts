import { lookup as resolve, type LookupAddress } from 'node:dns';
import { BlockList, isIP, isIPv6, type LookupFunction } from 'node:net';
import { type AllowedHost, isHostAllowed, canonicalHost } from '../../domain/policy/allowed-hosts.js';
import { findEmbeddedAddresses } from './embedded-addresses.js';
import { listLocalRoutes } from './local-routes.js';

/** An error for a name that resolves where no name on the list is meant to. */
export class RefusedAddress extends Error {
  override readonly name = 'RefusedAddress';
}

const LOOPBACK = new BlockList();
LOOPBACK.addSubnet('127.0.0.0', 8, 'ipv4');
LOOPBACK.addAddress('::1', 'ipv6');

/**
 * Addresses of this machine itself and next to it, such as a cloud’s metadata. Whoever has a name on the list also says
 * where it leads, and must not be able to say “to the services of this machine”. Networks with private addresses are
 * not among them: many a name of a company leads there.
 */
const NEXT_TO_IT = new BlockList();
NEXT_TO_IT.addSubnet('0.0.0.0', 8, 'ipv4');
NEXT_TO_IT.addSubnet('169.254.0.0', 16, 'ipv4');
NEXT_TO_IT.addSubnet('224.0.0.0', 3, 'ipv4');
NEXT_TO_IT.addAddress('::', 'ipv6');
NEXT_TO_IT.addSubnet('fe80::', 10, 'ipv6');
NEXT_TO_IT.addSubnet('ff00::', 8, 'ipv6');
// Where clouds keep their metadata, other than among the link-local addresses.
NEXT_TO_IT.addSubnet('fd00:ec2::', 32, 'ipv6'); // Amazon
NEXT_TO_IT.addAddress('fd20:ce::254', 'ipv6'); // Google
NEXT_TO_IT.addAddress('fd00:42::42', 'ipv6'); // Scaleway
NEXT_TO_IT.addAddress('100.100.100.200', 'ipv4'); // Alibaba
NEXT_TO_IT.addAddress('168.63.129.16', 'ipv4'); // Azure
NEXT_TO_IT.addAddress('192.0.0.192', 'ipv4'); // Oracle

/**
 * Looks up a host that the list allows: once, and only addresses that passed are connected to, so that a second answer
 * of the name server changes nothing. A host that is listed by its address is not looked up: who writes an address
 * means it.
 */
export const lookupAllowed =
  (
    hosts: readonly AllowedHost[],
    port: number,
    resolveName: typeof resolve = resolve,
    ownAddresses: () => readonly string[] = listLocalRoutes,
  ): LookupFunction =>
  (name, options, callback) => {
    resolveName(name, { ...options, all: true }, (error, found: LookupAddress[]) => {
      if (error !== null) {
        callback(error, []);
        return;
      }
      const own = buildBlockList(ownAddresses());
      const usable = found.filter(({ address }) => isUsable(hosts, own, name, address, port));
      if (usable.length > 0) callback(null, usable);
      else {
        const where = found.map(({ address }) => address).join(', ');
        callback(new RefusedAddress(`${name} leads to ${where}, which is this machine or next to it`), []);
      }
    });
  };

/** Whether an address is elsewhere: one that nobody listed and that is reached as such, without a name to look up. */
export const isElsewhere = (
  address: string,
  port: number,
  ownAddresses: () => readonly string[] = listLocalRoutes,
): boolean => isUsable([], buildBlockList(ownAddresses()), address, address, port);

/**
 * Whether an address is next to this machine, such as a cloud’s metadata: nobody who writes a name, or an address,
 * means those.
 */
export const isNextToThisMachine = (address: string): boolean =>
  [address, ...findEmbeddedAddresses(address)].some((each) => holds(NEXT_TO_IT, each));

/**
 * Whether a host is a cloud's metadata service, by an address in its one spelling, without brackets, or by one of the
 * names that clouds have for theirs.
 */
export const isMetadataHost = (host: string): boolean =>
  isIP(host) === 0 ? METADATA_NAMES.has(host.toLowerCase().replace(/\.$/u, '')) : isNextToThisMachine(host);

const METADATA_NAMES: ReadonlySet<string> = new Set([
  'metadata',
  'metadata.google.internal',
  'metadata.goog',
  'metadata.azure.internal',
  'metadata.tencentyun.com',
  'instance-data',
  'instance-data.ec2.internal',
]);

function isUsable(hosts: readonly AllowedHost[], own: BlockList, name: string, address: string, port: number): boolean {
  const reached = [address, ...findEmbeddedAddresses(address)];
  const isRefused = (list: BlockList): boolean => reached.some((each) => holds(list, each));
  if (!isRefused(NEXT_TO_IT) && !isRefused(LOOPBACK) && !isRefused(own)) return true;
  // A listed local name can only mean this machine.
  const isLocalName = name === 'localhost' || name.endsWith('.localhost');
  if (isLocalName && isHostAllowed(hosts, name, port) && holds(LOOPBACK, address)) return true;
  const listed = canonicalHost(address);
  return listed !== null && isHostAllowed(hosts, listed, port);
}

function buildBlockList(addresses: readonly string[]): BlockList {
  const list = new BlockList();
  for (const each of addresses.map(stripZone)) {
    const [address = '', length] = each.split('/');
    if (isIP(address) === 0) continue;
    if (length === undefined) list.addAddress(address, addressFamily(address));
    else list.addSubnet(address, Number(length), addressFamily(address));
  }
  return list;
}

/** Whether a list holds an address. An unreadable address is held by every list. */
function holds(list: BlockList, address: string): boolean {
  const plain = stripZone(address);
  return isIP(plain) === 0 || list.check(plain, addressFamily(plain));
}

const stripZone = (address: string): string => address.replace(/%.*$/u, '');
const addressFamily = (address: string): 'ipv4' | 'ipv6' => (isIPv6(address) ? 'ipv6' : 'ipv4');
