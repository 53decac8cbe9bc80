import type { lookup } from 'node:dns';
import { describe, expect, it } from 'vitest';
import { readAllowedHost } from '../../domain/allowed-hosts.js';
import { lookupAllowed, RefusedAddress } from './reachable-addresses.js';

/** A name server that the test plays: a real one would have to be out there. */
function addressesOf(entries: readonly string[], name: string, answers: readonly string[]): Promise<string[]> {
  const hosts = entries.flatMap((entry) => {
    const read = readAllowedHost(entry);
    return read.ok ? [read.allowed] : [];
  });
  const nameServer = ((_name: string, _options: unknown, done: (error: null, found: unknown) => void) =>
    done(
      null,
      answers.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
    )) as unknown as typeof lookup;
  return new Promise((resolve, reject) => {
    lookupAllowed(hosts, 443, nameServer)(name, { all: true }, (error, found) => {
      if (error !== null) reject(error);
      else resolve((found as { address: string }[]).map(({ address }) => address));
    });
  });
}

describe('where a listed name may lead', () => {
  it.each([['203.0.113.7'], ['10.1.2.3'], ['192.168.1.1'], ['2001:db8::1'], ['fd12::1']])('%s', async (address) => {
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
  ])('not to %s', async (address) => {
    const refused = addressesOf(['example.com'], 'example.com', [address]);
    await expect(refused).rejects.toThrow(RefusedAddress);
    await expect(refused).rejects.toThrow(`example.com leads to ${address}`);
  });

  it('of several only to those that may be', async () => {
    expect(await addressesOf(['example.com'], 'example.com', ['127.0.0.1', '203.0.113.7'])).toEqual(['203.0.113.7']);
  });

  it('to this machine where the address is on the list too, or the name can mean nothing else', async () => {
    expect(await addressesOf(['example.com', '127.0.0.1'], 'example.com', ['127.0.0.1'])).toEqual(['127.0.0.1']);
    expect(await addressesOf(['localhost'], 'localhost', ['::1', '127.0.0.1'])).toEqual(['::1', '127.0.0.1']);
    await expect(addressesOf(['example.com', '127.0.0.1:80'], 'example.com', ['127.0.0.1'])).rejects.toThrow(
      RefusedAddress,
    );
  });
});
