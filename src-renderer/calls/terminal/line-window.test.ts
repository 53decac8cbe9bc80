import { expect, it } from 'vitest';
import { CHUNK_LINES, chunksFor, clampTop, lastTop, scrollAt, scrollHeight, topAt } from './line-window.js';

const small = { totalLines: 100, rowHeight: 18, viewHeight: 360 };
const huge = { totalLines: 50_000_000, rowHeight: 18, viewHeight: 360 };

it('reaches the first and the last line, whatever the length', () => {
  for (const window of [small, huge]) {
    expect(topAt(window, 0)).toBe(0);
    expect(topAt(window, scrollHeight(window) - window.viewHeight)).toBe(window.totalLines - 20);
    expect(topAt(window, Number.MAX_SAFE_INTEGER)).toBe(lastTop(window));
    expect(topAt(window, -5)).toBe(0);
  }
  expect(scrollHeight(huge)).toBeLessThan(30_000_000);
});

it('comes back to the line it was told to show', () => {
  for (const top of [0, 1, 40, 80]) expect(topAt(small, scrollAt(small, top))).toBe(top);
  for (const top of [0, 12_345_678, lastTop(huge)]) expect(topAt(huge, scrollAt(huge, top))).toBe(top);
});

it('does not scroll what fits', () => {
  const fits = { totalLines: 3, rowHeight: 18, viewHeight: 360 };
  expect(lastTop(fits)).toBe(0);
  expect(topAt(fits, 100)).toBe(0);
  expect(scrollAt(fits, 2)).toBe(0);
  expect(clampTop(fits, 9)).toBe(0);
});

it('fetches in aligned pieces', () => {
  expect(chunksFor(0, 20, 100)).toEqual([0]);
  expect(chunksFor(CHUNK_LINES - 1, 20, 10_000)).toEqual([0, 1]);
  expect(chunksFor(9_990, 20, 10_000)).toEqual([49]);
  expect(chunksFor(0, 20, 0)).toEqual([0]);
});
