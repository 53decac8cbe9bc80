import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { JsonObject } from '#contract/vocabulary/json.js';
import { cutArguments, exceedsLength } from './cut-arguments.js';

const cut = (args: JsonObject): JsonObject =>
  cutArguments(
    args,
    () => 'HASH',
    (beginning) => beginning,
  );
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

it('takes secrets out of the beginning before it cuts that again', () => {
  const seen: JsonObject[] = [];
  const kept = cutArguments(
    { text: `${'a'.repeat(4000)}SECRET${'b'.repeat(50_000)}` },
    () => 'HASH',
    (beginning) => {
      seen.push(beginning);
      return { text: (beginning['text'] as string).replace('SECRET', '[redacted]') };
    },
  );
  expect(bytes(seen[0] ?? {})).toBeLessThan(17_000);
  expect(kept['text']).not.toContain('SECRET');
  expect(kept['text']).toContain('[redacted]');
});

it('tells what is long without looking at all of it', () => {
  expect(exceedsLength({ a: 'x'.repeat(9) }, 10)).toBe(false);
  expect(exceedsLength({ a: 'x'.repeat(10) }, 10)).toBe(true);
  expect(exceedsLength([['12', { name: '345' }], 7, null, true], 9)).toBe(false);
  expect(exceedsLength([['12', { name: '345' }], '6'], 9)).toBe(true);
});
