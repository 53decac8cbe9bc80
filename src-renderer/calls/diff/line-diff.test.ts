import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { buildDiffRows } from './diff-rows.js';
import { findDifferingSpan, diffTexts } from './line-diff.js';

const numbered = (count: number): string => Array.from({ length: count }, (_, i) => `line ${i + 1}`).join('\n') + '\n';

const sideOf = (before: string, after: string, kinds: readonly string[]): string => {
  const lines = diffTexts(before, after).lines.filter(({ kind }) => kinds.includes(kind));
  return lines.map(({ text, noNewline }) => (noNewline ? text : `${text}\n`)).join('');
};

describe('comparing texts', () => {
  it('counts and numbers the lines', () => {
    const diff = diffTexts('a\nb\nc\n', 'a\nB\nc\nd\n');
    expect(diff).toMatchObject({ added: 2, removed: 1, coarse: false });
    expect(diff.lines.map(({ kind, oldNumber, newNumber, text }) => [kind, oldNumber, newNumber, text])).toEqual([
      ['same', 1, 1, 'a'],
      ['removed', 2, null, 'b'],
      ['added', null, 2, 'B'],
      ['same', 3, 3, 'c'],
      ['added', null, 4, 'd'],
    ]);
  });

  it('sees a line break that comes or goes at the end', () => {
    const diff = diffTexts('a\nb', 'a\nb\n');
    expect(diff).toMatchObject({ added: 1, removed: 1 });
    expect(diff.lines.filter(({ noNewline }) => noNewline).map(({ kind }) => kind)).toEqual(['removed']);
    expect(diffTexts('a\nb', 'a\nb')).toMatchObject({ added: 0, removed: 0 });
  });

  it('takes empty files', () => {
    expect(diffTexts('', '')).toMatchObject({ lines: [], added: 0, removed: 0 });
    expect(diffTexts('', 'a\n')).toMatchObject({ added: 1, removed: 0 });
    expect(diffTexts('a\n', '')).toMatchObject({ added: 0, removed: 1 });
  });

  it('keeps carriage returns, so that a change of line ends can be seen', () => {
    expect(diffTexts('a\r\n', 'a\n')).toMatchObject({ added: 1, removed: 1 });
  });

  it('gives both files back whole, whatever they are', () => {
    const text = fc.array(fc.constantFrom('a', 'b', 'c', '', 'a b', '👍'), { maxLength: 30 }).map((l) => l.join('\n'));
    fc.assert(
      fc.property(text, text, (before, after) => {
        expect(sideOf(before, after, ['same', 'removed']).replace(/\n$/, '')).toBe(before.replace(/\n$/, ''));
        expect(sideOf(before, after, ['same', 'added'])).toBe(after);
      }),
    );
  });

  it('stays usable where a comparison is hopeless', () => {
    const before = Array.from({ length: 60_000 }, (_, i) => `old ${i}`).join('\n');
    const after = Array.from({ length: 60_000 }, (_, i) => `new ${i}`).join('\n');
    expect(diffTexts(before, after)).toMatchObject({ coarse: true, added: 60_000, removed: 60_000 });
  });

  it('marks what differs in a changed line', () => {
    expect(findDifferingSpan('const a = 1;', 'const a = 22;')).toEqual([10, 11]);
    expect(findDifferingSpan('abc', 'xyz')).toBeNull();
    expect(findDifferingSpan('say 👍 now', 'say 👎 now')).toEqual([4, 6]);
  });
});

describe('laying a comparison out', () => {
  const before = numbered(40);
  const after = before.replace('line 20\n', 'line twenty\nand more\n');

  it('leaves unchanged lines out but for three on either side', () => {
    const rows = buildDiffRows(diffTexts(before, after).lines, 'unified', new Set());
    expect(rows.map((row) => (row.kind === 'gap' ? `gap ${row.count}` : row.kind))).toEqual([
      'gap 16',
      ...Array.from({ length: 3 + 3 + 3 }, () => 'line'),
      'gap 17',
    ]);
  });

  it('opens a gap that is asked for', () => {
    const { lines } = diffTexts(before, after);
    const rows = buildDiffRows(lines, 'unified', new Set([0]));
    expect(rows.filter(({ kind }) => kind === 'gap')).toHaveLength(1);
    expect(rows.slice(0, 16).every(({ kind }) => kind === 'line')).toBe(true);
  });

  it('pairs old and new side by side', () => {
    const rows = buildDiffRows(diffTexts(before, after).lines, 'side', new Set());
    const changed = rows.flatMap((row) => (row.kind === 'pair' && row.left?.kind !== 'same' ? [row] : []));
    expect(changed.map(({ left, right }) => [left?.text, right?.text])).toEqual([
      ['line 20', 'line twenty'],
      [undefined, 'and more'],
    ]);
  });

  it('shows equal files as one gap', () => {
    expect(buildDiffRows(diffTexts(before, before).lines, 'side', new Set())).toEqual([
      { kind: 'gap', id: 0, count: 40 },
    ]);
  });
});
