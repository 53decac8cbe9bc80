import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { BoundedQueue } from './bounded-queue.js';
import { LIMITS, AT_ONCE, wanted, places, ticket, called } from './bounded-queue.test-support.js';

describe('who is paused', () => {
  const pausing = (limits: Partial<typeof LIMITS> = {}) => {
    const paused = new Set<string>();
    const queue = new BoundedQueue({
      limits: () => ({ ...LIMITS, ...limits }),
      memoryBytes: 1000,
      isPaused: (by) => paused.has(by),
      ...AT_ONCE,
    });
    return { paused, queue };
  };
  const other = { agent: 'two', pausedAs: 'agent two', name: 'two' };

  it('a paused agent’s call waits, and is told why; what of it runs goes on, others are not held, and it goes when it is resumed', async () => {
    const { paused, queue } = pausing();
    const running = ticket(queue.ask(wanted()));
    paused.add('agent one');
    const held = ticket(queue.ask(wanted()));
    expect([running.why, held.why]).toEqual([null, 'one is paused.']);
    expect(ticket(queue.ask(wanted(other))).why).toBeNull();
    expect(ticket(queue.ask(wanted({ pausedAs: null, agent: null }))).why).toBeNull();
    running.release();
    queue.review();
    expect(await called([held])).toEqual([false]);
    expect(queue.pass(running, wanted())).toBeNull();
    paused.delete('agent one');
    queue.review();
    expect(await called([held])).toEqual([true]);
  });

  it('a call that is queued already when its agent is paused waits, too', async () => {
    const { paused, queue } = pausing({ places: 1 });
    const first = ticket(queue.ask(wanted(other)));
    const held = ticket(queue.ask(wanted()));
    const next = ticket(queue.ask(wanted(other)));
    paused.add('agent one');
    first.release();
    expect(await called([held, next])).toEqual([false, true]);
  });

  it('an agent that is paused takes no room to wait from the others', () => {
    const { paused, queue } = pausing({ places: 1, max_waiting: 1 });
    ticket(queue.ask(wanted(other)));
    paused.add('agent one');
    ticket(queue.ask(wanted()));
    expect(queue.ask(wanted())).toMatchObject({ code: 'LimitsExceeded' });
    expect(ticket(queue.ask(wanted(other))).why).toContain('1 call is running');
  });
});

describe('a wait that is too long', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it('ends with LimitsExceeded, and says what it waited for', async () => {
    const queue = places({ places: 1, max_wait_seconds: 5 });
    const first = ticket(queue.ask(wanted()));
    const late = ticket(queue.ask(wanted()));
    await vi.advanceTimersByTimeAsync(4999);
    expect(await called([late])).toEqual([false]);
    await vi.advanceTimersByTimeAsync(1);
    expect(await late.called).toMatchObject({ code: 'LimitsExceeded', message: expect.stringContaining('5 s') });
    first.release();
    expect(ticket(queue.ask(wanted())).why).toBeNull();
  });

  it('does not end for an agent that is paused: its call waits on, and the time begins anew when it is resumed', async () => {
    let paused = true;
    const queue = new BoundedQueue({
      limits: () => ({ ...LIMITS, places: 1, max_wait_seconds: 5 }),
      memoryBytes: 1000,
      isPaused: (by) => paused && by === 'agent one',
      ...AT_ONCE,
    });
    ticket(queue.ask(wanted({ agent: 'two', pausedAs: 'agent two' })));
    const held = ticket(queue.ask(wanted()));
    await vi.advanceTimersByTimeAsync(60_000);
    expect(await called([held])).toEqual([false]);
    paused = false;
    await vi.advanceTimersByTimeAsync(5000);
    expect(await held.called).toMatchObject({ code: 'LimitsExceeded' });
  });

  it('does not end a call that has a place, however long it runs', async () => {
    const queue = places({ places: 1, max_wait_seconds: 5 });
    const first = ticket(queue.ask(wanted()));
    const second = ticket(queue.ask(wanted()));
    first.release();
    expect(await second.called).toBeNull();
    await vi.advanceTimersByTimeAsync(60_000);
    expect(vi.getTimerCount()).toBe(0);
    expect(ticket(queue.ask(wanted())).why).not.toBeNull();
  });
});
