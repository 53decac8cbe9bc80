import { expect, it } from 'vitest';
import { formatElapsed, shareOfTime } from './elapsed.js';

it('counts in whole seconds, then in minutes', () => {
  expect([-5, 999, 1999, 61_999].map(formatElapsed)).toEqual(['0 s', '0 s', '1 s', '1 min 1 s']);
});

it('fills the bar towards the time-out and no further', () => {
  expect([shareOfTime(500, 1000), shareOfTime(2000, 1000), shareOfTime(-1, 1000), shareOfTime(5, null)]).toEqual([
    0.5, 1, 0, 0,
  ]);
});
