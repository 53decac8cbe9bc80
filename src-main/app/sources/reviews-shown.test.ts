import { expect, it } from 'vitest';
import { ReviewsShown } from './reviews-shown.js';

function open() {
  const time = { now: 1000 };
  const shown = new ReviewsShown({ now: () => 0, monotonic: () => time.now });
  return { shown, time };
}

it('what was never shown can’t be accepted, nor what has only just been', () => {
  const { shown, time } = open();
  expect(shown.notYet('github', 'a')).toBe('never-shown');
  shown.show('github', 'a');
  time.now += 499;
  expect(shown.notYet('github', 'a')).toBe('too-new');
  time.now += 1;
  expect(shown.notYet('github', 'a')).toBeNull();
  expect(shown.notYet('gitlab', 'a')).toBe('never-shown');
});

it('another review shown in its place has to stand as long anew; the same one shown again does not', () => {
  const { shown, time } = open();
  shown.show('github', 'a');
  time.now += 500;
  shown.show('github', 'a');
  expect(shown.notYet('github', 'a')).toBeNull();
  shown.show('github', 'b');
  expect(shown.notYet('github', 'a')).toBe('never-shown');
  expect(shown.notYet('github', 'b')).toBe('too-new');
});
