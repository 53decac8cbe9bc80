import { expect, it } from 'vitest';
import { formatElapsed, formatLimit, computeTimeShare } from './elapsed.js';

it('counts in whole seconds, then in minutes', () => {
  expect([-5, 999, 1999, 61_999].map(formatElapsed)).toEqual(['0 s', '0 s', '1 s', '1 min 1 s']);
});

it('says limits as they are set', () => {
  expect([30_000, 1500, 600_000].map(formatLimit)).toEqual(['30\u00a0s', '1.5\u00a0s', '10\u00a0min']);
});

it('fills the bar towards the time-out and no further', () => {
  expect([
    computeTimeShare(500, 1000),
    computeTimeShare(2000, 1000),
    computeTimeShare(-1, 1000),
    computeTimeShare(5, null),
  ]).toEqual([0.5, 1, 0, 0]);
});
