import { diffArrays } from 'diff';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { countChangedLines } from './line-changes.js';

const file = (content: Uint8Array) => ({ kind: 'file', content }) as const;
const text = (all: string) => file(new TextEncoder().encode(all));
const changes = (before: string, after: string) => countChangedLines(text(before), text(after));

it.each([
  ['', 'a\nb\n', { added: 2, removed: 0 }],
  ['a\nb\n', '', { added: 0, removed: 2 }],
  ['a\nb\nc\n', 'a\nB\nc\n', { added: 1, removed: 1 }],
  ['a\nb', 'a\nb\n', { added: 1, removed: 1 }],
  ['a\n', 'a\n', { added: 0, removed: 0 }],
  ['a\nb\nc\nd\n', 'b\nc\nx\nd\n', { added: 1, removed: 1 }],
])('counts the lines that came and went: %j to %j', (before, after, counted) => {
  expect(changes(before, after)).toEqual(counted);
});

it('counts as a comparison does that shows the fewest changes', () => {
  const lines = fc.array(fc.constantFrom('a\n', 'b\n', 'c\n', '\n'), { maxLength: 30 }).map((all) => all.join(''));
  fc.assert(
    fc.property(lines, lines, (before, after) => {
      const split = (all: string) => (all === '' ? [] : all.split(/(?<=\n)/u));
      const shown = diffArrays(split(before), split(after));
      const sum = (of: 'added' | 'removed') =>
        shown.filter((part) => part[of]).reduce((total, { count }) => total + count, 0);
      expect(changes(before, after)).toEqual({ added: sum('added'), removed: sum('removed') });
    }),
  );
});

it('says nothing of what is no text, is too large, or is too different', () => {
  expect(countChangedLines(file(Uint8Array.of(0xff, 0xfe)), text('a'))).toBeNull();
  expect(countChangedLines({ kind: 'link' }, text('a'))).toBeNull();
  expect(countChangedLines(null, { kind: 'file', content: null })).toBeNull();
  expect(countChangedLines(null, text('a\n'))).toEqual({ added: 1, removed: 0 });
  expect(changes('a\0b', '')).toBeNull();
  expect(changes('', 'a\n'.repeat(600_000))).toBeNull();
  const lines = (seed: string) => Array.from({ length: 2000 }, (_, at) => `${seed}${at}\nx\n`).join('');
  expect(changes(lines('a'), lines('b'))).toBeNull();
});
