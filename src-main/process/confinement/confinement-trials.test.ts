import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Availability } from './availability.js';
import { openConfinementTrials } from './confinement-trials.js';

const failed: Availability = { available: false, problem: 'slow machine' };
const worked = { available: true, bwrap: '/usr/bin/bwrap' } as Availability;

describe('whether commands can be confined', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  function trials(answers: readonly Availability[]) {
    let tried = 0;
    const said: boolean[] = [];
    const opened = openConfinementTrials({
      attempt: () => Promise.resolve(answers[Math.min(tried++, answers.length - 1)] ?? failed),
      onFound: ({ available }) => said.push(available),
      now: () => Date.now(),
    });
    return { opened, said, tried: () => tried };
  }

  it('is tried once where it works, however often it is asked', async () => {
    const { opened, tried, said } = trials([worked]);
    await Promise.all([opened.known(), opened.again(), opened.known()]);
    await vi.advanceTimersByTimeAsync(3_600_000);
    expect(await opened.again()).toBe(worked);
    expect(tried()).toBe(1);
    expect(said).toEqual([true]);
  });

  it('is tried again by itself, less and less often, until it works', async () => {
    const { opened, tried, said } = trials([failed, failed, failed, worked]);
    expect(await opened.known()).toBe(failed);
    await vi.advanceTimersByTimeAsync(1999);
    expect(tried()).toBe(1);
    await vi.advanceTimersByTimeAsync(1);
    expect(tried()).toBe(2);
    await vi.advanceTimersByTimeAsync(4000);
    expect(tried()).toBe(3);
    await vi.advanceTimersByTimeAsync(8000);
    expect(await opened.known()).toBe(worked);
    await vi.advanceTimersByTimeAsync(3_600_000);
    expect(tried()).toBe(4);
    expect(said).toEqual([false, false, false, true]);
  });

  it('never pauses for longer than five minutes', async () => {
    const { tried, opened } = trials([failed]);
    await opened.known();
    await vi.advanceTimersByTimeAsync(3_600_000);
    const before = tried();
    await vi.advanceTimersByTimeAsync(5 * 60_000);
    expect(tried()).toBe(before + 1);
  });

  it('is tried anew before something would run unconfined, but not twice in a moment', async () => {
    const { opened, tried } = trials([failed, failed, worked]);
    await opened.known();
    await opened.again();
    expect(tried()).toBe(1);
    await vi.advanceTimersByTimeAsync(1000);
    await Promise.all([opened.again(), opened.again()]);
    expect(tried()).toBe(2);
    await vi.advanceTimersByTimeAsync(1500);
    expect(await opened.again()).toBe(worked);
  });

  it('is not tried any more when all is over', async () => {
    const { opened, tried } = trials([failed]);
    await opened.known();
    opened[Symbol.dispose]();
    await vi.advanceTimersByTimeAsync(3_600_000);
    expect(tried()).toBe(1);
  });
});
