import { describe, expect, it } from 'vitest';
import { findHostility } from './hostile-json.js';

const nested = (depth: number): unknown => JSON.parse('['.repeat(depth) + ']'.repeat(depth)) as unknown;

describe('findHostility', () => {
  it('lets ordinary arguments through', () => {
    expect(findHostility({ path: 'a/ü.txt', lines: [1, 2.5, null, true], deep: { er: '😀' } })).toBeNull();
    expect(findHostility(nested(60))).toBeNull();
  });

  it('stops nesting of any depth without a crash', () => {
    expect(findHostility(nested(100))).toContain('nested');
    expect(findHostility(nested(10_000))).toContain('nested');
    expect(findHostility(nested(1_000_000))).toContain('nested');
  });

  it('names what is wrong and where', () => {
    expect(findHostility(JSON.parse('{"a":{"__proto__":{"x":1}}}'))).toContain('arguments.a has a key “__proto__”');
    expect(findHostility(JSON.parse('{"n":1e999}'))).toContain('arguments.n');
    expect(findHostility({ s: ['ok', '\ud800'] })).toContain('arguments.s[1]');
    expect(findHostility({ '\ud800': 1 })).toContain('key');
    expect(findHostility({ f: () => 1 })).toContain('not JSON');
  });
});
