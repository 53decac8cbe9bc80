import { expect, it } from 'vitest';
import { RecordingMeter } from './recording-meter.js';

it('measures each agent by itself, over the last minute, and says when it is worth trying again', () => {
  const measure = new RecordingMeter();
  for (let second = 0; second < 10; second += 1) measure.add('one', 100, second * 1000);
  expect(measure.secondsOverLimit('one', 1000, 9000)).toBeNull();
  expect(measure.secondsOverLimit('one', 999, 9000)).toBe(51);
  expect(measure.secondsOverLimit('one', 750, 9000)).toBe(53);
  expect(measure.secondsOverLimit('other', 1, 9000)).toBeNull();
  expect(measure.secondsOverLimit('one', 999, 60_000)).toBeNull();
  measure.add('one', 5000, 61_000);
  expect(measure.secondsOverLimit('one', 1000, 61_000)).toBe(60);
});
