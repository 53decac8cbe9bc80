import { expect, it } from 'vitest';
import { describeSilence } from './silence.js';

it.each([
  [0, null],
  [19_999, null],
  [20_000, 'No output for 20 s; it may wait for input, and gets none.'],
  [39_000, 'No output for 20 s; it may wait for input, and gets none.'],
  [40_000, 'No output for 40 s; it may wait for input, and gets none.'],
  [60_000, 'No output for 1 min; it may wait for input, and gets none.'],
  [3_600_000, 'No output for 60 min; it may wait for input, and gets none.'],
])('after %i ms: %s', (ms, words) => {
  expect(describeSilence(ms)).toBe(words);
});
