import { networkInterfaces } from 'node:os';
import { readSmallFile } from '../files/small-file.js';

/**
 * Lists the addresses at which this machine takes what is sent there, as `address/length`, right now: they come and go
 * with networks, tunnels and containers. The list of interfaces has not all of them: it leaves out those with nobody at
 * their other end, such as a bridge for containers while none runs, and addresses that are routed here without being an
 * interface's.
 */
export const listLocalRoutes = (): readonly string[] => [
  ...Object.values(networkInterfaces()).flatMap((all) => (all ?? []).map(({ address }) => address)),
  ...parseIpv4Routes(readSmallFile('/proc/net/fib_trie') ?? ''),
  ...parseIpv6Routes(readSmallFile('/proc/net/ipv6_route') ?? ''),
];

/** Parses the kernel's tree: an address, and below it how long a part of it counts and where that is routed. */
export function parseIpv4Routes(trie: string): readonly string[] {
  const found = new Set<string>();
  let address = '';
  for (const line of trie.split('\n')) {
    address = /^\s*\|-- ([\d.]+)$/u.exec(line)?.[1] ?? address;
    const length = /^\s*\/(\d+) \S+ LOCAL\b/u.exec(line)?.[1];
    if (length !== undefined) found.add(`${address}/${length}`);
  }
  return [...found];
}

/** The kernel's marks of routes that end here: one's own addresses, and those that whoever is near answers. */
const LOCAL = 0x80000000;
const ANYCAST = 0x00100000;

/** Destination and length first, flags in the last column but one; all of it hexadecimal. */
export function parseIpv6Routes(routes: string): readonly string[] {
  return routes.split('\n').flatMap((line) => {
    const [destination, length, , , , , , , flags] = line.trim().split(/\s+/u);
    if (destination?.length !== 32 || length === undefined || flags === undefined) return [];
    const isOurs = (BigInt(`0x${flags}`) & BigInt(LOCAL + ANYCAST)) !== 0n;
    return isOurs ? [`${destination.match(/.{4}/gu)?.join(':')}/${Number.parseInt(length, 16)}`] : [];
  });
}
