import { describe, expect, it } from 'vitest';
import { BoundedQueue } from './bounded-queue.js';
import { LIMITS, AT_ONCE, wanted, places, ticket, called } from './bounded-queue.test-support.js';

describe('a place for each running call', () => {
  it.each([
    ['in all', { places: 1 }, {}, { tool: 'other', agent: 'two' }, 'Waiting: 1 call is running'],
    ['of a tool', { per_tool: 1 }, {}, { agent: 'two' }, 'Waiting: 1 call of read_file is running'],
    ['of an agent', { per_agent: 1 }, {}, { tool: 'other' }, 'Waiting: 1 call of one is running'],
    [
      'of a session',
      {},
      { session: 's' },
      { session: 's', tool: 'other', agent: 'two' },
      'another call of this session',
    ],
    ['of memory', {}, { memoryBytes: 600 }, { memoryBytes: 500, tool: 'other', agent: 'two' }, 'Waiting for memory'],
  ] as const)(
    'is bounded: %s; who waits is told why, and goes when there is one',
    async (_what, limits, one, other, why) => {
      const queue = places(limits);
      const first = ticket(queue.ask(wanted(one)));
      expect(first.why).toBeNull();
      const second = ticket(queue.ask(wanted(other)));
      expect(second.why).toContain(why);
      expect(await called([first, second])).toEqual([true, false]);
      first.release();
      expect(await called([second])).toEqual([true]);
    },
  );

  it('what a folder’s own settings bound more closely is bounded there, and nowhere else', () => {
    const queue = new BoundedQueue({
      limits: (folder) => (folder === '/tight' ? { ...LIMITS, places: 1, max_waiting: 1 } : LIMITS),
      memoryBytes: 1000,
      isPaused: () => false,
      ...AT_ONCE,
    });
    const tight = (agent: string) => queue.ask(wanted({ folder: '/tight', agent }));
    // What runs elsewhere takes nothing of it.
    expect(ticket(queue.ask(wanted())).why).toBeNull();
    expect(ticket(tight('two')).why).toBeNull();
    expect(ticket(tight('three')).why).toContain('Waiting: 1 call is running');
    expect(tight('four')).toMatchObject({ code: 'LimitsExceeded' });
    expect(ticket(queue.ask(wanted({ agent: 'five' }))).why).toBeNull();
  });

  it('the person’s own calls are bounded by the limits of the app and of their tool alone', () => {
    const queue = places({ per_agent: 1 });
    expect(ticket(queue.ask(wanted({ agent: null }))).why).toBeNull();
    expect(ticket(queue.ask(wanted({ agent: null, tool: 'other' }))).why).toBeNull();
  });

  it('is given back once, however often that is said', async () => {
    const queue = places({ places: 1 });
    const first = ticket(queue.ask(wanted()));
    const waiting = [ticket(queue.ask(wanted())), ticket(queue.ask(wanted()))];
    first.release();
    first.release();
    first.release();
    expect(await called(waiting)).toEqual([true, false]);
  });

  it('is not kept for a call that left the queue', async () => {
    const queue = places({ places: 1 });
    const first = ticket(queue.ask(wanted()));
    const [gone, next] = [ticket(queue.ask(wanted())), ticket(queue.ask(wanted()))];
    gone.release();
    gone.release();
    first.release();
    expect(await called([next])).toEqual([true]);
    expect(ticket(queue.ask(wanted())).why).not.toBeNull();
  });

  it('calls beyond those that may wait are refused, and so is one that no memory suffices for', () => {
    const queue = places({ places: 1, max_waiting: 1 });
    ticket(queue.ask(wanted()));
    ticket(queue.ask(wanted()));
    expect(queue.ask(wanted())).toMatchObject({
      code: 'LimitsExceeded',
      message: expect.stringContaining('The queue is full'),
    });
    expect(queue.ask(wanted({ memoryBytes: 1001 }))).toMatchObject({ code: 'ResourceExhausted' });
  });

  it('in a full queue that is shared, whoever has most waiting gives room to who has less, and nobody takes it back', async () => {
    const queue = new BoundedQueue({
      limits: () => ({ ...LIMITS, places: 1, max_waiting: 4 }),
      memoryBytes: 1000,
      isPaused: () => false,
      sharesRoom: true,
      ...AT_ONCE,
    });
    const running = ticket(queue.ask(wanted()));
    const ones = [1, 2, 3, 4].map(() => ticket(queue.ask(wanted())));
    expect(queue.ask(wanted()), 'not for itself').toMatchObject({ code: 'LimitsExceeded' });
    const twos = [1, 2].map(() => ticket(queue.ask(wanted({ agent: 'two' }))));
    expect(await ones[3]?.called).toMatchObject({ code: 'LimitsExceeded', eCode: 'E3106' });
    expect(await ones[2]?.called).toMatchObject({ message: expect.stringContaining('gave its room') as string });
    for (const agent of ['one', 'two'])
      expect(queue.ask(wanted({ agent })), `${agent} has as many`).toMatchObject({ code: 'LimitsExceeded' });
    ticket(queue.ask(wanted({ agent: null })));
    const left = [...ones.slice(0, 2), ...twos];
    const refused = await Promise.all(left.map(async (each) => Promise.race([each.called, Promise.resolve('waits')])));
    expect(refused.filter((each) => each !== 'waits')).toHaveLength(1);
    running.release();
    expect((await called(left)).filter(Boolean)).toHaveLength(1);
  });

  it('goes on to the next call of its owner where nobody waits for it, and to who waits else', async () => {
    const queue = places({ places: 1 });
    const first = ticket(queue.ask(wanted()));
    const second = queue.pass(first, wanted());
    expect(second).not.toBeNull();
    // It is not held any more.
    first.release();
    const other = ticket(queue.ask(wanted({ agent: 'two' })));
    expect(other.why).not.toBeNull();
    expect(second === null ? null : queue.pass(second, wanted())).toBeNull();
    second?.release();
    expect(await called([other])).toEqual([true]);
  });

  it('is there at once when the limits are raised', async () => {
    const limits = { ...LIMITS, places: 1 };
    const queue = new BoundedQueue({ limits: () => limits, memoryBytes: 1000, isPaused: () => false, ...AT_ONCE });
    ticket(queue.ask(wanted()));
    const second = ticket(queue.ask(wanted()));
    limits.places = 2;
    queue.review();
    expect(await called([second])).toEqual([true]);
  });
});
