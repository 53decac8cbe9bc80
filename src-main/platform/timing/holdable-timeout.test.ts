import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { HoldableTimeout, toWaitMs } from './holdable-timeout.js';

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] }));
afterEach(() => void vi.useRealTimers());

it('is up once, and not while it is held', () => {
  const over = vi.fn();
  const time = new HoldableTimeout(1000, Infinity, over);
  vi.advanceTimersByTime(600);
  const [first, second] = [time.hold(), time.hold()];
  vi.advanceTimersByTime(2 ** 31);
  first();
  first();
  vi.advanceTimersByTime(100_000);
  expect(over).not.toHaveBeenCalled();
  second();
  vi.advanceTimersByTime(399);
  expect(over).not.toHaveBeenCalled();
  vi.advanceTimersByTime(1);
  expect(over).toHaveBeenCalledOnce();
  time.hold()();
  vi.advanceTimersByTime(100_000);
  expect(over).toHaveBeenCalledOnce();
});

it('is held so long in all, and no longer', () => {
  const over = vi.fn();
  const time = new HoldableTimeout(1000, 500, over);
  const letGo = time.hold();
  vi.advanceTimersByTime(300);
  letGo();
  time.hold();
  vi.advanceTimersByTime(200 + 999);
  expect(over).not.toHaveBeenCalled();
  vi.advanceTimersByTime(1);
  expect(over).toHaveBeenCalledOnce();
});

it('is never up once it is cleared', () => {
  const over = vi.fn();
  const time = new HoldableTimeout(1000, Infinity, over);
  const letGo = time.hold();
  time.clear();
  letGo();
  vi.advanceTimersByTime(100_000);
  expect(over).not.toHaveBeenCalled();
  expect(toWaitMs(0)).toBe(Infinity);
  expect(toWaitMs(2)).toBe(2000);
});
