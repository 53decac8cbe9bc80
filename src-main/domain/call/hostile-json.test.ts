import { describe, expect, it } from 'vitest';
import { findHostileJson } from './hostile-json.js';

const nested = (depth: number): unknown => JSON.parse('['.repeat(depth) + ']'.repeat(depth)) as unknown;

describe('findHostility', () => {
  it('lets ordinary arguments through', () => {
    expect(findHostileJson({ path: 'a/ü.txt', lines: [1, 2.5, null, true], deep: { er: '😀' } })).toBeNull();
    expect(findHostileJson(nested(60))).toBeNull();
  });

  it('stops nesting of any depth without a crash', () => {
    expect(findHostileJson(nested(100))).toContain('nested');
    expect(findHostileJson(nested(10_000))).toContain('nested');
    expect(findHostileJson(nested(1_000_000))).toContain('nested');
  });

  it('names what is wrong and where', () => {
    expect(findHostileJson(JSON.parse('{"a":{"__proto__":{"x":1}}}'))).toContain('arguments.a has a key “__proto__”');
    expect(findHostileJson(JSON.parse('{"n":1e999}'))).toContain('arguments.n');
    expect(findHostileJson({ s: ['ok', '\ud800'] })).toContain('arguments.s[1]');
    expect(findHostileJson({ '\ud800': 1 })).toContain('key');
    expect(findHostileJson({ f: () => 1 })).toContain('not JSON');
  });
});
