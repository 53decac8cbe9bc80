import { expect, it } from 'vitest';
import { RecordedMeasure } from './recorded-measure.js';

it('measures each agent by itself, over the last minute, and says when it is worth trying again', () => {
  const measure = new RecordedMeasure();
  for (let second = 0; second < 10; second += 1) measure.add('one', 100, second * 1000);
  expect(measure.over('one', 1000, 9000)).toBeNull();
  expect(measure.over('one', 999, 9000)).toBe(51);
  expect(measure.over('one', 750, 9000)).toBe(53);
  expect(measure.over('other', 1, 9000)).toBeNull();
  expect(measure.over('one', 999, 60_000)).toBeNull();
  measure.add('one', 5000, 61_000);
  expect(measure.over('one', 1000, 61_000)).toBe(60);
});
