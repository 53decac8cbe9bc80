import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { JsonCounter } from './json-bounds.js';

function counted(text: string, chunk = Number.POSITIVE_INFINITY): { counter: JsonCounter; bytes: Buffer } {
  const counter = new JsonCounter();
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; at += chunk) counter.take(bytes.subarray(at, at + chunk));
  return { counter, bytes };
}
const excess = (text: string, chunk?: number): string | null => counted(text, chunk).counter.excess();
const idOf = (text: string, chunk?: number): unknown => {
  const { counter, bytes } = counted(text, chunk);
  return counter.idIn(bytes);
};
const repeat = (count: number, each: (at: number) => string): string =>
  Array.from({ length: count }, (_, at) => each(at)).join(',');

describe('what a message may hold', () => {
  it('is counted before it is parsed', () => {
    expect(excess(`[${repeat(101, (id) => `{"id":${id}}`)}]`)).toContain('batch');
    expect(excess(`[${repeat(100, (id) => `{"id":${id}}`)}]`)).toBeNull();
    expect(excess(`{"params":{${repeat(350_000, (at) => `"k${at}":1`)}}}`)).toContain('values and names');
    expect(excess(`{"params":[${repeat(25_000, () => '1')}]}`)).toContain('values and names');
    expect(excess('['.repeat(1_900_000))).toContain('values and names');
    expect(excess(`{"a":{"${'k'.repeat(1001)}":1}}`)).toContain('name');
    expect(excess(`{"a":${'['.repeat(3000)}${']'.repeat(3000)}}`)).toContain('deep');
  });

  it('is nothing that stands in a text, however it is escaped', () => {
    expect(excess(JSON.stringify({ content: '[{,:"\\'.repeat(100_000) }))).toBeNull();
    expect(excess(JSON.stringify({ ['{'.repeat(900)]: ['{'.repeat(9000), '\\'] }))).toBeNull();
  });

  it('is the same wherever the bytes are cut', () => {
    fc.assert(
      fc.property(fc.json(), fc.integer({ min: 1, max: 7 }), (text, chunk) => {
        const bounds = { pieces: 5, depth: 2, name: 3, batch: 2 };
        expect(counted(text, chunk).counter.excess(bounds)).toBe(counted(text).counter.excess(bounds));
      }),
    );
  });

  it('lets the request that was too much be named', () => {
    expect(idOf('{"jsonrpc":"2.0","method":"x","params":{"id":7,"xy":"id"},"id":42}')).toBe(42);
    expect(idOf('{ "id" : "a\\"b" , "params": [1, {"id": 3}] }', 3)).toBe('a"b');
    expect(idOf('{"id":1,"id":2}')).toBe(2);
    expect(idOf('[{"id":1}]')).toBeNull();
    expect(idOf('{"id":{"no":1}}')).toBeNull();
    expect(idOf('{"params":{"id":1}}')).toBeNull();
  });
});
