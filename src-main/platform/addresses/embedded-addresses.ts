import { isIPv6 } from 'node:net';

/**
 * Finds the IPv4 addresses inside an IPv6 address: translators and tunnels take them out of it and go there. None for
 * an address that holds none.
 */
export function findEmbeddedAddresses(address: string): readonly string[] {
  const plain = address.replace(/%.*$/u, '');
  if (!isIPv6(plain)) return [];
  const groups = expandGroups(plain);
  const at = (index: number): string => dotted(groups[index] ?? 0, groups[index + 1] ?? 0);
  const begins = (...prefix: readonly number[]): boolean => prefix.every((group, index) => groups[index] === group);
  const found: string[] = [];
  // Mapped (::ffff:0:0/96), translated (::ffff:0:0:0/96), and compatible (::/96), as it was once.
  if (begins(0, 0, 0, 0, 0, 0xffff) || begins(0, 0, 0, 0, 0xffff, 0) || begins(0, 0, 0, 0, 0, 0)) found.push(at(6));
  // NAT64: the one prefix for everybody, and those for use at home.
  if (begins(0x64, 0xff9b, 0, 0, 0, 0) || begins(0x64, 0xff9b, 1)) found.push(at(6));
  // 6to4.
  if (begins(0x2002)) found.push(at(1));
  // Teredo: its server, and the client with each bit turned.
  if (begins(0x2001, 0)) {
    found.push(at(2), dotted((groups[6] ?? 0) ^ 0xffff, (groups[7] ?? 0) ^ 0xffff));
  }
  return found;
}

const dotted = (high: number, low: number): string => [high >> 8, high & 255, low >> 8, low & 255].join('.');

/** The groups of an IPv6 address, all eight, also where zeros are left out or the end is written as an IPv4 address. */
function expandGroups(address: string): readonly number[] {
  const [before, after] = address.split('::');
  const [head, tail] = [splitGroups(before ?? ''), splitGroups(after ?? '')];
  const missing = Array.from({ length: 8 - head.length - tail.length }, () => 0);
  return [...head, ...missing, ...tail];
}

const splitGroups = (text: string): number[] =>
  text === ''
    ? []
    : text.split(':').flatMap((part) => {
        if (!part.includes('.')) return [parseInt(part, 16)];
        const [a, b, c, d] = part.split('.').map(Number);
        return [((a ?? 0) << 8) | (b ?? 0), ((c ?? 0) << 8) | (d ?? 0)];
      });
