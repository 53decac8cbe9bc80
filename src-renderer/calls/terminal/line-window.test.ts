import { expect, it } from 'vitest';
import {
  CHUNK_LINES,
  listChunks,
  clampTop,
  findLastTop,
  computeScroll,
  computeScrollHeight,
  findTop,
} from './line-window.js';

const small = { totalLines: 100, rowHeight: 18, viewHeight: 360 };
const huge = { totalLines: 50_000_000, rowHeight: 18, viewHeight: 360 };

it('reaches the first and the last line, whatever the length', () => {
  for (const window of [small, huge]) {
    expect(findTop(window, 0)).toBe(0);
    expect(findTop(window, computeScrollHeight(window) - window.viewHeight)).toBe(window.totalLines - 20);
    expect(findTop(window, Number.MAX_SAFE_INTEGER)).toBe(findLastTop(window));
    expect(findTop(window, -5)).toBe(0);
  }
  expect(computeScrollHeight(huge)).toBeLessThan(30_000_000);
});

it('comes back to the line it was told to show', () => {
  for (const top of [0, 1, 40, 80]) expect(findTop(small, computeScroll(small, top))).toBe(top);
  for (const top of [0, 12_345_678, findLastTop(huge)]) expect(findTop(huge, computeScroll(huge, top))).toBe(top);
});

it('does not scroll what fits', () => {
  const fits = { totalLines: 3, rowHeight: 18, viewHeight: 360 };
  expect(findLastTop(fits)).toBe(0);
  expect(findTop(fits, 100)).toBe(0);
  expect(computeScroll(fits, 2)).toBe(0);
  expect(clampTop(fits, 9)).toBe(0);
});

it('fetches in aligned pieces', () => {
  expect(listChunks(0, 20, 100)).toEqual([0]);
  expect(listChunks(CHUNK_LINES - 1, 20, 10_000)).toEqual([0, 1]);
  expect(listChunks(9_990, 20, 10_000)).toEqual([49]);
  expect(listChunks(0, 20, 0)).toEqual([0]);
});
