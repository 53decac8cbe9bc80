import { describe, expect, it } from 'vitest';
import { isHostAllowed, canonicalHost, parseAllowedHost, explainWrongHost } from './allowed-hosts.js';

function listed(...entries: string[]) {
  return entries.map((entry) => {
    const read = parseAllowedHost(entry);
    if (!read.ok) throw new Error(read.problem);
    return read.allowed;
  });
}

describe('what an entry of allowed_hosts lets through', () => {
  it.each([
    ['example.com', 'example.com', 443, true],
    ['example.com', 'example.com', 22, true],
    ['example.com', 'www.example.com', 443, false],
    ['example.com', 'notexample.com', 443, false],
    ['example.com', 'example.com.evil.org', 443, false],
    ['Example.COM.', 'example.com', 443, true],
    ['example.com:443', 'example.com', 443, true],
    ['example.com:443', 'example.com', 80, false],
    ['*.example.com', 'a.example.com', 443, true],
    ['*.example.com', 'a.b.example.com', 443, true],
    ['*.example.com', 'example.com', 443, false],
    ['*.example.com', 'aexample.com', 443, false],
    ['*.example.com:8080', 'a.example.com', 443, false],
    ['localhost', 'localhost', 3000, true],
    ['localhost', '127.0.0.1', 3000, false],
    ['127.0.0.1', '127.0.0.1', 3000, true],
    ['127.0.0.1', 'localhost', 3000, false],
    ['0x7f.1', '127.0.0.1', 3000, true],
    ['::1', '[::1]', 3000, true],
    ['[2001:DB8:0::1]:443', '[2001:db8::1]', 443, true],
    ['[2001:db8::1]:443', '[2001:db8::1]', 80, false],
    ['bücher.example', 'xn--bcher-kva.example', 443, true],
    ['my_host', 'my_host', 5432, true],
  ])('%s: %s on %i is %s', (entry, host, port, expected) => {
    expect(isHostAllowed(listed(entry), host, port)).toBe(expected);
  });

  it('nothing is allowed by an empty list', () => {
    expect(isHostAllowed([], 'example.com', 443)).toBe(false);
  });
});

describe('an entry that can’t be meant is refused, with what to write', () => {
  it.each([
    ['*', 'network = true'],
    ['https://example.com', 'without “https://”'],
    ['example.com/path', 'without a path'],
    ['*.com', 'too wide'],
    ['*.127.0.0.1', 'too wide'],
    ['ex*mple.com', 'is not a host'],
    ['a b', 'is not a host'],
    ['user@example.com', 'is not a host'],
    ['', 'is not a host'],
    [':443', 'is not a host'],
    ['example.com:', 'port'],
    ['example.com:0', 'port'],
    ['example.com:65536', 'port'],
    ['example.com:https', 'port'],
    ['[::1', 'is not a host'],
    ['1::2::3', 'is not a host'],
    ['256.256.256.256', 'is not a host'],
    ['exa%6dple.com', 'is not a host'],
    ['a\u{202e}b', 'is not a host'],
  ])('%j', (entry, words) => {
    expect(explainWrongHost(['example.org', entry])).toContain(words);
  });

  it('all others are taken', () => {
    expect(explainWrongHost(['example.com', '*.example.com:443', '10.0.0.1', '::1'])).toBeNull();
  });
});

describe('a host that is asked for has one spelling', () => {
  it.each([
    ['EXAMPLE.com', 'example.com'],
    ['example.com.', 'example.com'],
    ['2130706433', '127.0.0.1'],
    ['017700000001', '127.0.0.1'],
    ['[0:0::1]', '[::1]'],
    ['::ffff:127.0.0.1', '[::ffff:7f00:1]'],
    ['a/b', null],
    ['a@b', null],
    ['a:80', null],
    ['x:80', null],
    ['', null],
    ['.', null],
    ["a'b", null],
  ])('%s is %s', (host, expected) => {
    expect(canonicalHost(host)).toBe(expected);
  });
});
