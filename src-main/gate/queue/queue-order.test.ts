import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import type { PlaceRequest, QueueTicket } from '../../domain/ports/gate/place-queue.js';
import { MAX_PASSED_OVER, BoundedQueue } from './bounded-queue.js';
import { LIMITS, wanted, places, ticket, called } from './bounded-queue.test-support.js';

describe('whose turn it is', () => {
  it('the person’s own calls go first, then the agent’s that has least running, then the one that came first', async () => {
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

  it('lets the calls of one agent that have more priority go first, else in their order; none waits for ever', async () => {
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
