import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { JsonObject } from '../../src-preload/contract/json.js';
import { cutArguments } from './cut-arguments.js';

const cut = (args: JsonObject): JsonObject => cutArguments(args, () => 'HASH');
const bytes = (args: JsonObject): number => Buffer.byteLength(JSON.stringify(args));

it('leaves alone what is small', () => {
  const small = { path: 'a.txt', content: 'x'.repeat(4000) };
  expect(cut(small)).toBe(small);
});

it('keeps the beginning in its own form, and of all of it the size and the hash', () => {
  const args = { password: 'secret', content: 'x'.repeat(5000), list: [1, 2] };
  const kept = cut(args);
  expect(kept).toMatchObject({ password: 'secret', '…': `${bytes(args)} bytes in all, SHA-256 HASH` });
  expect(kept['content']).toMatch(/^x{1000,}…$/);
  expect(cut({ list: Array.from({ length: 9000 }, () => 1) })['list']).toHaveLength(510);
  expect(
    bytes(cut({ deep: JSON.parse(`${'['.repeat(500)}"${'y'.repeat(5000)}"${']'.repeat(500)}`) as never })),
  ).toBeLessThan(1000);
});

it('is never much over its size, whatever comes', () => {
  fc.assert(
    fc.property(
      fc.dictionary(fc.string({ unit: 'grapheme' }), fc.jsonValue({ maxDepth: 4 })),
      fc.string({ unit: 'binary', minLength: 4000, maxLength: 9000 }),
      (args, text) => {
        // Escapes may make six bytes of one.
        expect(bytes(cut({ ...args, text }))).toBeLessThan(6 * 4096 + 300);
      },
    ),
  );
});
