import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { Throttle } from './throttle.js';

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] }));
afterEach(() => void vi.useRealTimers());

const counted = (takesMs = 0) => {
  const times: number[] = [];
  const throttle = new Throttle(10, async () => {
    times.push(performance.now());
    if (takesMs > 0) await new Promise((resolve) => setTimeout(resolve, takesMs));
  });
  const began = performance.now();
  return { throttle, times: () => times.map((time) => time - began) };
};

it('is done at once, and then once for all that is asked for while it waits', async () => {
  const { throttle, times } = counted();
  throttle.ask();
  await vi.advanceTimersByTimeAsync(3);
  for (let n = 0; n < 5; n += 1) throttle.ask();
  await vi.advanceTimersByTimeAsync(100);
  throttle.ask();
  await vi.advanceTimersByTimeAsync(100);
  expect(times()).toEqual([0, 10, 103]);
});

it('waits from the end of the last, never does two at a time, and forgets nothing that comes meanwhile', async () => {
  const { throttle, times } = counted(7);
  throttle.ask();
  await vi.advanceTimersByTimeAsync(2);
  throttle.ask();
  await vi.advanceTimersByTimeAsync(100);
  expect(times()).toEqual([0, 17]);
});

it('is done when nothing is asked for any more, without a wait after the last', async () => {
  const { throttle, times } = counted();
  throttle.ask();
  await throttle.done();
  throttle.ask();
  const done = throttle.done();
  await vi.advanceTimersByTimeAsync(10);
  await done;
  expect(times()).toEqual([0, 10]);
});

it('can be hurried, once or for good', async () => {
  const { throttle, times } = counted();
  throttle.ask();
  await throttle.done();
  throttle.ask();
  await vi.advanceTimersByTimeAsync(4);
  throttle.hurry();
  await throttle.done();
  throttle.ask();
  await vi.advanceTimersByTimeAsync(4);
  throttle.hurry(true);
  await throttle.done();
  throttle.ask();
  await throttle.done();
  expect(times()).toEqual([0, 4, 8, 8]);
  // Without a request nothing is done, and nothing waits.
  expect(vi.getTimerCount()).toBe(0);
});
