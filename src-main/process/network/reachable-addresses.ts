import { lookup as resolve, type LookupAddress } from 'node:dns';
import { BlockList, isIPv6, type LookupFunction } from 'node:net';
import { type AllowedHost, allows } from '../../domain/allowed-hosts.js';

/** A name that leads where no name on the list is meant to lead. */
export class RefusedAddress extends Error {
  override readonly name = 'RefusedAddress';
}

/**
 * This machine itself and what is next to it, such as a cloud’s metadata. Whoever has a name on the list also says where
 * it leads, and must not be able to say “to the services of this machine”. Networks with private addresses are not
 * among them: many a name of a company leads there.
 */
const ITSELF = new BlockList();
ITSELF.addSubnet('0.0.0.0', 8, 'ipv4');
ITSELF.addSubnet('127.0.0.0', 8, 'ipv4');
ITSELF.addSubnet('169.254.0.0', 16, 'ipv4');
ITSELF.addSubnet('224.0.0.0', 3, 'ipv4');
ITSELF.addAddress('::', 'ipv6');
ITSELF.addAddress('::1', 'ipv6');
ITSELF.addSubnet('fe80::', 10, 'ipv6');
ITSELF.addSubnet('ff00::', 8, 'ipv6');

/**
 * For connecting to a host that the list allows: looked up once, and only addresses that passed are connected to, so
 * that a second answer of the name server changes nothing.
 */
export const lookupAllowed =
  (hosts: readonly AllowedHost[], port: number, resolveName: typeof resolve = resolve): LookupFunction =>
  (name, options, callback) => {
    resolveName(name, { ...options, all: true }, (error, found: LookupAddress[]) => {
      if (error !== null) {
        callback(error, []);
        return;
      }
      const usable = found.filter(({ address }) => isUsable(hosts, name, address, port));
      if (usable.length > 0) callback(null, usable);
      else {
        const where = found.map(({ address }) => address).join(', ');
        callback(new RefusedAddress(`${name} leads to ${where}, which is this machine or next to it`), []);
      }
    });
  };

function isUsable(hosts: readonly AllowedHost[], name: string, address: string, port: number): boolean {
  if (name === 'localhost' || name.endsWith('.localhost')) return true;
  if (!ITSELF.check(address, isIPv6(address) ? 'ipv6' : 'ipv4')) return true;
  return allows(hosts, isIPv6(address) ? `[${address}]` : address, port);
}
