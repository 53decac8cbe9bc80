import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { PlaceRequest, QueueTicket } from '../../domain/ports/gate/place-queue.js';
import { MAX_PASSED_OVER, BoundedQueue } from './bounded-queue.js';

const LIMITS = { places: 8, per_tool: 4, per_agent: 8, max_waiting: 1000, max_wait_seconds: 0 };
const AT_ONCE = { starvationMs: () => 60_000, now: () => 0 };
const wanted = (more: Partial<PlaceRequest> = {}): PlaceRequest => ({
  pool: 'app',
  toolId: 'tests.tool',
  tool: 'read_file',
  folder: '/w',
  agent: 'one',
  pausedAs: 'agent one',
  name: 'one',
  session: null,
  urgent: false,
  priority: 'normal',
  memoryBytes: null,
  ...more,
});
const places = (limits: Partial<typeof LIMITS> = {}, memoryBytes = 1000) =>
  new BoundedQueue({ limits: () => ({ ...LIMITS, ...limits }), memoryBytes, isPaused: () => false, ...AT_ONCE });

function ticket(asked: ReturnType<BoundedQueue['ask']>): QueueTicket {
  if ('code' in asked) throw new Error(asked.message);
  return asked;
}

/** Whether each ticket has been called by now. */
async function called(tickets: readonly QueueTicket[]): Promise<readonly boolean[]> {
  const have = tickets.map(() => false);
  for (const [at, each] of tickets.entries()) void each.called.then((refusal) => (have[at] = refusal === null));
  await Promise.resolve();
  return have;
}

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

  it('the person’s own are bounded by nothing but the whole and their tool', () => {
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

  it('is not kept for who left the queue', async () => {
    const queue = places({ places: 1 });
    const first = ticket(queue.ask(wanted()));
    const [gone, next] = [ticket(queue.ask(wanted())), ticket(queue.ask(wanted()))];
    gone.release();
    gone.release();
    first.release();
    expect(await called([next])).toEqual([true]);
    expect(ticket(queue.ask(wanted())).why).not.toBeNull();
  });

  it('more than may wait are refused, and so is what no memory suffices for', () => {
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

  it('waits, and is told why; what of it runs goes on, others are not held, and it goes when it is resumed', async () => {
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

  it('waits that is queued already when it is paused', async () => {
    const { paused, queue } = pausing({ places: 1 });
    const first = ticket(queue.ask(wanted(other)));
    const held = ticket(queue.ask(wanted()));
    const next = ticket(queue.ask(wanted(other)));
    paused.add('agent one');
    first.release();
    expect(await called([held, next])).toEqual([false, true]);
  });

  it('takes no room to wait from the others', () => {
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

  it('is none of who is paused: it waits on, and the time begins anew when it is resumed', async () => {
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

  it('is none of who has a place, however long it runs', async () => {
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

describe('whose turn it is', () => {
  it('the person’s own first, then the agent that has least running, then who came first', async () => {
    const queue = places({ places: 2, per_tool: 8 });
    const held = [ticket(queue.ask(wanted())), ticket(queue.ask(wanted({ agent: 'two' })))];
    const waiting = [
      ticket(queue.ask(wanted())),
      ticket(queue.ask(wanted({ agent: 'two' }))),
      ticket(queue.ask(wanted({ agent: null, urgent: true }))),
    ];
    held[0]?.release();
    expect(await called(waiting)).toEqual([false, false, true]);
    held[1]?.release();
    // Neither has one running: who came first.
    expect(await called(waiting)).toEqual([true, false, true]);
    waiting[2]?.release();
    expect(await called(waiting)).toEqual([true, true, true]);
  });

  it('of one agent more priority first, in the order in which they came; little counts as any other after a while', async () => {
    let now = 0;
    const queue = new BoundedQueue({
      limits: () => ({ ...LIMITS, places: 1, per_agent: 1, per_tool: 1 }),
      memoryBytes: 1000,
      isPaused: () => false,
      starvationMs: () => 60_000,
      now: () => now,
    });
    const running = ticket(queue.ask(wanted()));
    const order: string[] = [];
    const ask = (name: string, priority: PlaceRequest['priority']): void => {
      const waiting = ticket(queue.ask(wanted({ priority })));
      void waiting.called.then(() => {
        order.push(name);
        waiting.release();
      });
    };
    ask('old low', 'low');
    now = 30_000;
    ask('low', 'low');
    for (let at = 0; at < 2 * MAX_PASSED_OVER; at += 1) ask(`normal ${at}`, 'normal');
    for (let at = 0; at < 2 * MAX_PASSED_OVER; at += 1) ask(`high ${at}`, 'high');
    now = 60_000;
    running.release();
    await vi.waitFor(() => expect(order).toHaveLength(4 * MAX_PASSED_OVER + 2));
    const all = (name: string) => Array.from({ length: 2 * MAX_PASSED_OVER }, (_, at) => `${name} ${at}`);
    expect(order).toEqual([...all('high'), 'old low', ...all('normal'), 'low']);
  });

  it('between agents whoever runs least goes first, whatever priority they give their own and however many they have', async () => {
    const queue = places({ places: 2, per_tool: 8 });
    const order: string[] = [];
    const running: QueueTicket[] = [];
    const ask = (agent: string, priority: PlaceRequest['priority']): void => {
      const waiting = ticket(queue.ask(wanted({ agent, priority })));
      void waiting.called.then(() => {
        order.push(agent);
        running.push(waiting);
      });
    };
    for (let at = 0; at < 40; at += 1) ask('greedy', 'high');
    await Promise.resolve();
    expect(order).toEqual(['greedy', 'greedy']);
    for (let at = 0; at < 3; at += 1) ask('other', 'low');
    // Each of the greedy one's calls is long; its places are given up one after another.
    for (let at = 0; at < 2; at += 1) {
      running.shift()?.release();
      await Promise.resolve();
    }
    expect(order.slice(2)).toEqual(['other', 'greedy']);
    for (let at = 0; at < 4; at += 1) {
      running.shift()?.release();
      await Promise.resolve();
    }
    // Turn by turn, and never more than its share to who has many waiting.
    expect(order.slice(4).filter((agent) => agent === 'other')).toHaveLength(2);
  });

  it('an agent that was passed over goes with one call, and not with all that it has waiting', async () => {
    const queue = places({ places: 1 });
    let running = ticket(queue.ask(wanted()));
    const many = Array.from({ length: 5 }, () => ticket(queue.ask(wanted())));
    for (let newer = 0; newer < MAX_PASSED_OVER; newer += 1) {
      const urgent = ticket(queue.ask(wanted({ agent: null, urgent: true })));
      running.release();
      running = urgent;
    }
    const urgent = Array.from({ length: 3 }, () => ticket(queue.ask(wanted({ agent: null, urgent: true }))));
    running.release();
    expect(await called([...many, ...urgent])).toEqual([true, false, false, false, false, false, false, false]);
    many[0]?.release();
    expect(await called([...many, ...urgent])).toEqual([true, false, false, false, false, true, false, false]);
  });

  it('nobody waits for ever behind those that come first: after so many it goes before them all', async () => {
    const queue = places({ places: 1 });
    let running = ticket(queue.ask(wanted()));
    const patient = ticket(queue.ask(wanted()));
    for (let newer = 0; newer < MAX_PASSED_OVER; newer += 1) {
      const urgent = ticket(queue.ask(wanted({ agent: null, urgent: true })));
      running.release();
      expect(await called([patient, urgent])).toEqual([false, true]);
      running = urgent;
    }
    const urgent = ticket(queue.ask(wanted({ agent: null, urgent: true })));
    running.release();
    expect(await called([patient, urgent])).toEqual([true, false]);
  });

  it('holds to every bound and lets nobody be passed over for ever, whatever comes and goes', () => {
    const step = fc.oneof(
      {
        weight: 3,
        arbitrary: fc.record({
          ask: fc.record({
            tool: fc.constantFrom('a', 'b', 'c'),
            agent: fc.constantFrom('one', 'two', 'three', null),
            session: fc.constantFrom('s1', 's2', null, null, null),
            urgent: fc.boolean(),
          }),
        }),
      },
      { weight: 2, arbitrary: fc.record({ release: fc.nat() }) },
    );
    fc.assert(
      fc.property(
        fc.array(step, { maxLength: 150 }),
        fc.record({
          places: fc.integer({ min: 1, max: 4 }),
          per_tool: fc.integer({ min: 1, max: 3 }),
          per_agent: fc.integer({ min: 1, max: 3 }),
        }),
        (steps, bounds) => {
          const limits = { ...LIMITS, ...bounds };
          const queue = places(limits);
          interface Seen {
            readonly ticket: QueueTicket;
            readonly wanted: PlaceRequest;
            place: boolean;
          }
          /** How often, for each agent, newer calls went before one of its own, since one of its own last went. */
          const overtaken = new Map<string | null, number>();
          let all: Seen[] = [];
          const fits = (one: PlaceRequest, running: readonly PlaceRequest[]): boolean =>
            running.length < limits.places &&
            running.filter(({ tool }) => tool === one.tool).length < limits.per_tool &&
            (one.agent === null || running.filter(({ agent }) => agent === one.agent).length < limits.per_agent) &&
            (one.session === null || running.every(({ session }) => session !== one.session));
          const running = (): readonly PlaceRequest[] => all.filter(({ place }) => place).map((each) => each.wanted);
          for (const each of steps) {
            if ('ask' in each) {
              const want = wanted(each.ask);
              const could = fits(want, running());
              const got = ticket(queue.ask(want));
              expect(got.why === null).toBe(could);
              // Only its end tells of a place that was given later: `release` of one shows who went.
              const seen: Seen = { ticket: got, wanted: want, place: got.why === null };
              const end = (got as unknown as { end: (refusal: null) => void }).end;
              Object.assign(got, {
                end: (refusal: null) => {
                  seen.place = true;
                  end(refusal);
                },
              });
              all.push(seen);
            } else {
              const held = all.filter(({ place }) => place);
              const chosen = held[each.release % Math.max(1, held.length)];
              if (chosen === undefined) continue;
              all = all.filter((other) => other !== chosen);
              const before = new Set(all.filter(({ place }) => place));
              const free = running();
              chosen.ticket.release();
              const went = all.filter((other) => other.place && !before.has(other));
              // One release makes room for at most one of each kind; whoever went, went before who came earlier and could have.
              const first = went.length === 1 ? went[0] : undefined;
              if (first !== undefined) {
                const earlier = all
                  .slice(0, all.indexOf(first))
                  .filter((other) => !other.place && !other.wanted.urgent);
                const could = new Set(earlier.flatMap(({ wanted: of }) => (fits(of, free) ? [of.agent] : [])));
                for (const agent of could) overtaken.set(agent, (overtaken.get(agent) ?? 0) + 1);
                if (!first.wanted.urgent) overtaken.set(first.wanted.agent, 0);
              }
            }
            const now = running();
            for (const [at, one] of now.entries()) expect(fits(one, now.toSpliced(at, 1))).toBe(true);
            // Nobody waits who could go.
            for (const other of all) if (!other.place) expect(fits(other.wanted, now)).toBe(false);
            // Others may have been passed over as often, and came before.
            for (const times of overtaken.values()) expect(times).toBeLessThanOrEqual(MAX_PASSED_OVER + 3);
          }
        },
      ),
      { numRuns: 300 },
    );
  });
});
