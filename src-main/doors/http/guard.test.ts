import type { IncomingMessage } from 'node:http';
import { describe, expect, it } from 'vitest';
import { guardRequest, equalInConstantTime } from './guard.js';

const TOKEN = 'a'.repeat(43);

const asked = (headers: Record<string, string[]>): IncomingMessage =>
  ({
    headersDistinct: headers,
    headers: { authorization: headers['authorization']?.[0] },
    socket: { localPort: 4242 },
  }) as unknown as IncomingMessage;

const whose = (token: string): string | null => (equalInConstantTime(token, TOKEN) ? 'me' : null);
const status = (headers: Record<string, string[]>): number | null => {
  const request = asked({ authorization: [`Bearer ${TOKEN}`], host: ['127.0.0.1:4242'], ...headers });
  const admission = guardRequest(request, whose);
  return admission.ok ? null : admission.refusal.status;
};

describe('who may speak to the gateway', () => {
  it.each(['127.0.0.1:4242', 'localhost:4242', 'LOCALHOST', '[::1]:4242', '127.0.0.1'])('lets Host %s in', (host) => {
    expect(status({ host: [host] })).toBeNull();
  });

  it.each([
    'evil.example',
    'evil.example:4242',
    '127.0.0.1.evil.example:4242',
    'localhost.evil.example',
    '127.0.0.2',
    '0.0.0.0:4242',
    '2130706433',
    'user@127.0.0.1',
    '127.0.0.1:4242@evil.example',
    '[::1',
    '[::ffff:127.0.0.1]',
    '',
    ' ',
  ])('keeps Host “%s” out: a rebound name is not ours', (host) => {
    expect(status({ host: [host] })).toBe(403);
  });

  it('keeps out requests with two Hosts or none', () => {
    expect(status({ host: ['127.0.0.1:4242', 'evil.example'] })).toBe(403);
    expect(status({ host: [] })).toBe(403);
  });

  it.each(['http://127.0.0.1:4242', 'http://localhost:3000', 'http://[::1]', 'https://localhost'])(
    'lets loopback origin %s in',
    (origin) => {
      expect(status({ origin: [origin] })).toBeNull();
    },
  );

  it.each([
    'null',
    'http://evil.example',
    'http://127.0.0.1.evil.example',
    'http://user@127.0.0.1',
    'http://127.0.0.1/path',
    'ftp://127.0.0.1',
    'http://localhost:4242.evil.example',
    'chrome-extension://abc',
    'chrome-extension://http://localhost',
    'file://',
    '',
  ])('keeps origin “%s” out', (origin) => {
    expect(status({ origin: [origin] })).toBe(403);
  });

  it.each([
    ['nothing', []],
    ['no scheme', [TOKEN]],
    ['another scheme', [`Basic ${TOKEN}`]],
    ['a prefix', [`Bearer ${TOKEN.slice(0, -1)}`]],
    ['more than the token', [`Bearer ${TOKEN}a`]],
    ['an empty token', ['Bearer ']],
    ['two tokens', [`Bearer ${TOKEN} ${TOKEN}`]],
  ])('refuses %s with 401', (_what, authorization) => {
    expect(status({ authorization })).toBe(401);
  });

  it('looks at Host and Origin first: a rebound page learns nothing about tokens', () => {
    expect(status({ host: ['evil.example'], authorization: [] })).toBe(403);
    expect(status({ origin: ['http://evil.example'], authorization: ['Bearer wrong'] })).toBe(403);
  });

  it('compares digests of equal length, whatever it is given', () => {
    expect(equalInConstantTime('', '')).toBe(true);
    expect(equalInConstantTime('a', 'aa')).toBe(false);
    expect(equalInConstantTime('é'.repeat(1000), TOKEN)).toBe(false);
  });
});
