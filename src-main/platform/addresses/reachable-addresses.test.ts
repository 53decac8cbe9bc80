import type { lookup } from 'node:dns';
import { networkInterfaces } from 'node:os';
import { describe, expect, it } from 'vitest';
import { parseAllowedHost } from '../../domain/policy/allowed-hosts.js';
import { isElsewhere, isNextToThisMachine, lookupAllowed, RefusedAddress } from './reachable-addresses.js';

/** A name server that the test plays: a real one would have to be out there. */
function addressesOf(
  entries: readonly string[],
  name: string,
  answers: readonly string[],
  own?: () => readonly string[],
): Promise<string[]> {
  const hosts = entries.flatMap((entry) => {
    const read = parseAllowedHost(entry);
    return read.ok ? [read.allowed] : [];
  });
  const nameServer = ((_name: string, _options: unknown, done: (error: null, found: unknown) => void) =>
    done(
      null,
      answers.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
    )) as unknown as typeof lookup;
  return new Promise((resolve, reject) => {
    lookupAllowed(
      hosts,
      443,
      nameServer,
      own,
    )(name, { all: true }, (error, found) => {
      if (error !== null) reject(error);
      else resolve((found as { address: string }[]).map(({ address }) => address));
    });
  });
}

describe('where a listed name may lead', () => {
  it.each([
    ['203.0.113.7'],
    ['10.1.2.3'],
    ['192.168.1.1'],
    ['2001:db8::1'],
    ['fd12::1'],
    ['64:ff9b::203.0.113.7'],
    ['2002:cb00:7107::1'],
    ['fd00:ec3::254'],
    ['100.100.100.201'],
  ])('%s', async (address) => {
    expect(await addressesOf(['example.com'], 'example.com', [address])).toEqual([address]);
  });

  it.each([
    ['127.0.0.1'],
    ['127.8.9.1'],
    ['0.0.0.0'],
    ['169.254.169.254'],
    ['255.255.255.255'],
    ['::'],
    ['::1'],
    ['::ffff:127.0.0.1'],
    ['::ffff:169.254.169.254'],
    ['fe80::1'],
    ['ff02::1'],
    ['fe80::1%eth0'],
    // Metadata of clouds that keep it elsewhere.
    ['fd00:ec2::254'],
    ['fd20:ce::254'],
    ['fd00:42::42'],
    ['100.100.100.200'],
    ['168.63.129.16'],
    ['192.0.0.192'],
    // Addresses that a translator or a tunnel takes out of another and goes to.
    ['64:ff9b::7f00:1'],
    ['64:ff9b::127.0.0.1'],
    ['64:ff9b::a9fe:a9fe'],
    ['64:ff9b:1::7f00:1'],
    ['2002:7f00:1::'],
    ['2002:a9fe:a9fe::1'],
    ['::7f00:1'],
    ['::ffff:0:127.0.0.1'],
    ['2001:0:cb00:7107::80ff:fffe'],
    ['2001:0:7f00:1::3456:7890'],
  ])('not to %s', async (address) => {
    const refused = addressesOf(['example.com'], 'example.com', [address]);
    await expect(refused).rejects.toThrow(RefusedAddress);
    await expect(refused).rejects.toThrow(`example.com leads to ${address}`);
  });

  it('not to an address that this machine has right now', async () => {
    const mine = ['192.168.7.5', '172.17.0.1', 'fd12::5'];
    const own = (): readonly string[] => mine;
    for (const address of ['192.168.7.5', '172.17.0.1', 'fd12::5', '::ffff:192.168.7.5', '64:ff9b::c0a8:705']) {
      await expect(addressesOf(['example.com'], 'example.com', [address], own)).rejects.toThrow(RefusedAddress);
    }
    expect(await addressesOf(['example.com'], 'example.com', ['192.168.7.6'], own)).toEqual(['192.168.7.6']);
    // A whole network that is routed here.
    expect(await addressesOf(['example.com'], 'example.com', ['198.51.100.9'], own)).toHaveLength(1);
    mine.push('198.51.100.0/28');
    await expect(addressesOf(['example.com'], 'example.com', ['198.51.100.9'], own)).rejects.toThrow(RefusedAddress);
    mine.push('192.168.7.6');
    await expect(addressesOf(['example.com'], 'example.com', ['192.168.7.6'], own)).rejects.toThrow(RefusedAddress);
    expect(await addressesOf(['example.com', '192.168.7.6'], 'example.com', ['192.168.7.6'], own)).toHaveLength(1);

    const real = Object.values(networkInterfaces()).flatMap((all) => (all ?? []).map(({ address }) => address));
    for (const address of real) {
      await expect(addressesOf(['example.com'], 'example.com', [address])).rejects.toThrow(RefusedAddress);
    }
  });

  it('of several only to those that may be', async () => {
    expect(await addressesOf(['example.com'], 'example.com', ['127.0.0.1', '203.0.113.7'])).toEqual(['203.0.113.7']);
  });

  it('to this machine where the address is on the list too, or the name can mean nothing else', async () => {
    expect(await addressesOf(['example.com', '127.0.0.1'], 'example.com', ['127.0.0.1'])).toEqual(['127.0.0.1']);
    expect(await addressesOf(['localhost'], 'localhost', ['::1', '127.0.0.1'])).toEqual(['::1', '127.0.0.1']);
    await expect(addressesOf(['localhost'], 'localhost', ['169.254.169.254'])).rejects.toThrow(RefusedAddress);
    expect(await addressesOf(['example.com', '[::ffff:127.0.0.1]'], 'example.com', ['::ffff:127.0.0.1'])).toHaveLength(
      1,
    );
    await expect(addressesOf(['example.com', '127.0.0.1:80'], 'example.com', ['127.0.0.1'])).rejects.toThrow(
      RefusedAddress,
    );
  });
});

// The result must not depend on the list of interfaces: it may be short, or not be had.
const nobodys = (): readonly string[] => [];

it.each([
  ['127.0.0.1'],
  ['127.8.9.1'],
  ['::1'],
  ['::'],
  ['0.0.0.0'],
  ['fe80::1%lo'],
  ['::ffff:127.0.0.1'],
  ['no address'],
])('%s is this machine where it knows no address of its own', async (address) => {
  expect(isElsewhere(address, 443, nobodys)).toBe(false);
  await expect(addressesOf(['example.com'], 'example.com', [address], nobodys)).rejects.toThrow(RefusedAddress);
});

it('next to it is also what leads there, and what is no address', () => {
  for (const address of ['169.254.169.254', '::ffff:169.254.169.254', '64:ff9b::a9fe:a9fe', 'fe80::1%eth0', '', 'a.b'])
    expect(isNextToThisMachine(address), address).toBe(true);
  for (const address of ['203.0.113.7', '127.0.0.1', '::ffff:203.0.113.7'])
    expect(isNextToThisMachine(address)).toBe(false);
});
