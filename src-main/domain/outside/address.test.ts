import { expect, test } from 'vitest';
import { isLoopbackAddress, isWithin, parseAddress } from './address.js';

const read = (text: string) => {
  const got = parseAddress(text);
  return got.ok ? [got.address.origin, got.address.isPrivate] : got.problem;
};

test('An address has one spelling', () => {
  expect(read('https://API.Example.com./v1')).toEqual(['https://api.example.com:443', true]);
  expect(read('https://api.example.com:443')).toEqual(['https://api.example.com:443', true]);
  expect(read('http://api.example.com/v1')).toEqual(['http://api.example.com:80', false]);
  expect(read('http://localhost:11434/v1')).toEqual(['http://localhost:11434', true]);
  expect(read('http://127.1:8080')).toEqual(['http://127.0.0.1:8080', true]);
  expect(read('http://[::1]:8080')).toEqual(['http://[::1]:8080', true]);
  expect(read('http://2130706433/')).toEqual(['http://127.0.0.1:80', true]);
});

test('What only looks like this computer is not', () => {
  for (const text of [
    'http://localhost.evil.example',
    'http://127.0.0.1.evil.example',
    'http://0.0.0.0:1',
    'http://10.0.0.1',
  ])
    expect(read(text)).toEqual([expect.any(String), false]);
});

test.each([
  'http://api.example.com@evil/',
  'https://user:pass@api.example.com/',
  'https://@evil.example/',
  'ftp://x/',
  'file:///etc/passwd',
  'api.example.com',
  '',
  'https://x\\@evil/',
  'https://x y/',
  'https://x/?key=1',
  'https://x/#a',
])('%j is refused in words', (text) => {
  expect(read(text)).toMatch(/^(It|Its|Only) .*\.$/u);
});

test('A url lies under an address by scheme, host, port and path', () => {
  const got = parseAddress('https://api.example.com/v1/');
  const within = (text: string) => got.ok && isWithin(new URL(text), got.address);
  expect(within('https://api.example.com/v1/messages')).toBe(true);
  expect(within('https://api.example.com:443/v1')).toBe(true);
  for (const text of [
    'https://api.example.com/v10/messages',
    'https://api.example.com/v1/../admin',
    'https://api.example.com:444/v1/messages',
    'http://api.example.com/v1/messages',
    'https://evil.example/v1/messages',
    'https://api.example.com@evil.example/v1/messages',
  ])
    expect(within(text)).toBe(false);
  expect(['127.0.0.1', '::1', '::ffff:127.0.0.1', '10.0.0.1', '::'].map(isLoopbackAddress)).toEqual([
    true,
    true,
    true,
    false,
    false,
  ]);
});
