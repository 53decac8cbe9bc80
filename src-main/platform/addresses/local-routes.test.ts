import { expect, it } from 'vitest';
import { listLocalRoutes, parseIpv4Routes, parseIpv6Routes } from './local-routes.js';

const TRIE = `Main:
  +-- 0.0.0.0/0 3 0 5
     |-- 0.0.0.0
        /0 universe UNICAST
     |-- 172.17.0.1
        /32 host LOCAL
     |-- 192.0.2.0
        /24 link UNICAST
     |-- 192.0.2.255
        /32 link BROADCAST
Local:
     |-- 198.51.100.64
        /28 link UNICAST
        /26 host LOCAL
     |-- 172.17.0.1
        /32 host LOCAL
`;

it('finds what the kernel takes as its own, whatever interface it is of, and whole networks that are routed here', () => {
  expect(parseIpv4Routes(TRIE)).toEqual(['172.17.0.1/32', '198.51.100.64/26']);
  expect(parseIpv4Routes('')).toEqual([]);
});

it('of version 6 as well', () => {
  const zeros = '0'.repeat(32);
  const route = (to: string, length: string, flags: string) =>
    `${to} ${length} ${zeros} 00 ${zeros} 00000000 00000002 00000000 ${flags} eth0`;
  const routes = [
    route('fd000000000000000000000000000000', '40', '00000001'),
    route('fd000000000000000000000000000002', '80', '80200001'),
    route('20010db8000000000000000000000000', '40', '80000001'),
    route('fd000000000000000000000000000000', '80', '80300001'),
    // Anycast: whoever is near answers. The kernel may say no more than that of another interface.
    route('fd00000000000000000000000000000a', '80', '00100001'),
    '',
  ];
  expect(parseIpv6Routes(routes.join('\n'))).toEqual([
    'fd00:0000:0000:0000:0000:0000:0000:0002/128',
    '2001:0db8:0000:0000:0000:0000:0000:0000/64',
    'fd00:0000:0000:0000:0000:0000:0000:0000/128',
    'fd00:0000:0000:0000:0000:0000:0000:000a/128',
  ]);
});

it('knows this machine’s own', () => {
  expect(listLocalRoutes()).toContain('127.0.0.1');
  if (process.platform === 'linux') expect(listLocalRoutes()).toContain('127.0.0.0/8');
});
