import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { LONGEST_LINE, lineEnds } from './line-index.js';

/** The ends of all lines, with the bytes cut into pieces as given. */
function endsOf(bytes: Buffer, pieces: readonly number[]): number[] {
  const ends: number[] = [];
  let base = 0;
  let lineStart = 0;
  for (const size of [...pieces, bytes.length]) {
    const piece = bytes.subarray(base, base + size);
    for (const end of lineEnds(piece, lineStart - base)) {
      lineStart = base + end;
      ends.push(lineStart);
    }
    base += piece.length;
  }
  return ends;
}

describe('line ends', () => {
  it('are after each LF', () => {
    expect(endsOf(Buffer.from('a\n\nbc\nd'), [])).toEqual([2, 3, 6]);
    expect(endsOf(Buffer.from(''), [])).toEqual([]);
  });

  it('break a line that never ends, never inside a character', () => {
    const text = 'x'.repeat(LONGEST_LINE - 1) + '\u{1f600}'.repeat(LONGEST_LINE);
    const ends = endsOf(Buffer.from(text), []);
    expect(ends.length).toBeGreaterThan(3);
    let start = 0;
    for (const end of ends) {
      expect(Buffer.from(text).subarray(start, end).toString('utf8')).not.toContain('\ufffd');
      start = end;
    }
  });

  it('leave a line of exactly the longest length whole', () => {
    expect(endsOf(Buffer.from(`${'x'.repeat(LONGEST_LINE)}\ny\n`), [])).toEqual([LONGEST_LINE + 1, LONGEST_LINE + 3]);
  });

  it('are the same however the file is cut into pieces', () => {
    const part = fc.oneof(
      fc.constant('\n'),
      fc.integer({ min: 1, max: LONGEST_LINE * 2 }).map((n) => 'x'.repeat(n)),
      fc.integer({ min: 1, max: LONGEST_LINE }).map((n) => 'é'.repeat(n)),
      fc.constant('\u{1f600}'.repeat(5000)),
    );
    const wild = fc.uint8Array({ maxLength: 50 }).map((bytes) => Buffer.from(bytes));
    const pieces = fc.array(fc.integer({ min: 1, max: LONGEST_LINE * 2 }), { maxLength: 12 });
    fc.assert(
      fc.property(
        fc.array(
          fc.oneof(
            part.map((text) => Buffer.from(text)),
            wild,
          ),
          { maxLength: 8 },
        ),
        pieces,
        (parts, sizes) => {
          const bytes = Buffer.concat(parts);
          expect(endsOf(bytes, sizes)).toEqual(endsOf(bytes, []));
        },
      ),
      { numRuns: 300 },
    );
  });
});
