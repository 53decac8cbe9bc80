import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createHeadTail } from './head-tail.js';
import {
  headBytes,
  joinEnds,
  leftOutMarker,
  tailBytes,
  truncateEnd,
  type Truncated,
  TRUNCATION_MARKER,
  utf8Length,
} from './truncate.js';

/** Truncates a text that is there whole. */
function truncateMiddle(whole: string, limit: number): Truncated {
  const bytes = utf8Length(whole);
  return bytes <= limit ? { text: whole, bytes, leftOut: 0 } : joinEnds(whole, whole, bytes, limit);
}

const text = fc.string({ unit: fc.constantFrom('a', '\n', 'é', '€', '🎈', 'e\u{301}'), maxLength: 120 });

describe('T-OUT-01 the truncation marker is included within the limit', () => {
  it('leaves alone what fits exactly', () => {
    expect(truncateEnd('é'.repeat(20), 40)).toEqual({ text: 'é'.repeat(20), bytes: 40, leftOut: 0 });
  });

  it.each([
    [0, ''],
    [1, '\n'],
    [TRUNCATION_MARKER.length - 1, TRUNCATION_MARKER.slice(0, -1)],
    [TRUNCATION_MARKER.length, TRUNCATION_MARKER],
    [TRUNCATION_MARKER.length + 1, TRUNCATION_MARKER],
    [TRUNCATION_MARKER.length + 2, `é${TRUNCATION_MARKER}`],
  ])('cuts to %i bytes between characters', (limit, expected) => {
    expect(truncateEnd('é'.repeat(100), limit).text).toBe(expected);
  });

  it('never exceeds the limit, keeps a beginning, and counts what is gone', () => {
    fc.assert(
      fc.property(text, fc.nat({ max: 300 }), (whole, limit) => {
        const cut = truncateEnd(whole, limit);
        expect(utf8Length(cut.text)).toBe(cut.bytes);
        expect(cut.bytes).toBeLessThanOrEqual(Math.max(limit, 0));
        if (cut.leftOut === 0) expect(cut.text).toBe(whole);
        else if (limit > TRUNCATION_MARKER.length) {
          const body = cut.text.slice(0, -TRUNCATION_MARKER.length);
          expect(whole.startsWith(body)).toBe(true);
          expect(utf8Length(body) + cut.leftOut).toBe(utf8Length(whole));
          expect(limit - cut.bytes).toBeLessThan(4);
        }
      }),
    );
  });
});

describe('head and tail with the number of bytes between them', () => {
  it('says exactly how many bytes are gone', () => {
    const whole = `${'a'.repeat(100)}${'z'.repeat(100)}`;
    const cut = truncateMiddle(whole, 101);
    expect(cut.text).toBe(`${'a'.repeat(37)}${leftOutMarker(cut.leftOut)}${'z'.repeat(36)}`);
    expect(cut.leftOut).toBe(127);
    expect(cut.bytes).toBe(101);
  });

  it('adds up for every text and limit', () => {
    fc.assert(
      fc.property(text, fc.nat({ max: 300 }), (whole, limit) => {
        const cut = truncateMiddle(whole, limit);
        expect(utf8Length(cut.text)).toBe(cut.bytes);
        expect(cut.bytes).toBeLessThanOrEqual(limit);
        const marker = leftOutMarker(cut.leftOut);
        if (cut.leftOut === 0 || !cut.text.includes(marker)) return;
        const [head = '', tail = ''] = cut.text.split(marker);
        expect(whole.startsWith(head)).toBe(true);
        expect(whole.endsWith(tail)).toBe(true);
        expect(utf8Length(head) + utf8Length(tail) + cut.leftOut).toBe(utf8Length(whole));
      }),
    );
  });

  it('gives the same from a stream as from the whole, in whatever pieces', () => {
    fc.assert(
      fc.property(fc.array(text, { maxLength: 30 }), fc.integer({ min: 60, max: 400 }), (pieces, limit) => {
        const ends = createHeadTail(limit);
        for (const piece of pieces) ends.push(piece);
        expect(ends.render(limit)).toEqual(truncateMiddle(pieces.join(''), limit));
        expect(ends.render(limit - 20)).toEqual(truncateMiddle(pieces.join(''), limit - 20));
      }),
    );
  });
});

describe('ends of a text in bytes', () => {
  it('never splits a character and never leaves out one that would fit', () => {
    fc.assert(
      fc.property(text, fc.nat({ max: 200 }), (whole, limit) => {
        const head = headBytes(whole, limit);
        const tail = tailBytes(whole, limit);
        expect(whole.startsWith(head)).toBe(true);
        expect(whole.endsWith(tail)).toBe(true);
        expect(head.isWellFormed() && tail.isWellFormed()).toBe(true);
        const least = Math.min(limit - 3, utf8Length(whole));
        expect(utf8Length(head)).toBeGreaterThanOrEqual(least);
        expect(utf8Length(tail)).toBeGreaterThanOrEqual(least);
      }),
    );
  });
});
