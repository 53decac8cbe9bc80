import { join } from 'node:path';
import Database from 'better-sqlite3';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { LifecycleState } from '#contract/vocabulary/lifecycle.js';
import type { JournalEvent } from '../../domain/call/journal-events.js';
import { openServiceReader, openTestJournal, testFolder } from './journal.test-support.js';
import { batchReceived, callReceived, NO_RESULT, settled } from './journal-samples.test-support.js';

const PROBLEM = { code: 'ExecutionFailed', message: 'no' } as const;
const ended = (state: 'COMPLETED' | 'FAILED' | 'DENIED' | 'ABORTED' | 'ROLLED_BACK') => (callId: string) =>
  settled(callId, {}, state === 'COMPLETED' ? null : PROBLEM, state);

// By hand, from seed 000 §3 and what a call may go through meanwhile: not from the table that the journal asks.
const FACTS: Readonly<Record<string, (callId: string) => JournalEvent>> = {
  received: (callId) => callReceived({ callId, batchId: 'b' }),
  validated: (callId) => ({ type: 'call-validated', callId, summary: 'Read it', risk: 'low', timeoutMs: 1000 }),
  awaiting: (callId) => ({
    type: 'call-awaiting',
    callId,
    for: 'decision',
    why: 'You are asked.',
    rule: { layer: 'tool', id: 'tool.approval' },
  }),
  edited: (callId) => ({
    type: 'call-edited',
    callId,
    arguments: { path: 'other' },
    summary: 'Read the other',
    risk: 'low',
  }),
  authorized: (callId) => ({
    type: 'call-authorized',
    callId,
    grant: {
      by: 'policy',
      rule: 'Reading is allowed.',
      from: { layer: 'settings', id: 'settings.reads' },
      capabilities: [],
      judgement: null,
    },
  }),
  queued: (callId) => ({ type: 'call-queued', callId, why: 'All places are taken.' }),
  started: (callId) => ({ type: 'call-executing', callId, attempt: 1 }),
  process: (callId) => ({
    type: 'call-process',
    callId,
    pid: 1,
    startTicks: '1',
    mark: 'm',
    confinement: 'confined',
  }),
  retrying: (callId) => ({ type: 'call-retrying', callId, attempt: 2, delayMs: 1, code: 'Timeout', message: 'late' }),
  'started again': (callId) => ({ type: 'call-executing', callId, attempt: 2 }),
  completed: ended('COMPLETED'),
  failed: ended('FAILED'),
  denied: ended('DENIED'),
  aborted: ended('ABORTED'),
  'rolled back': ended('ROLLED_BACK'),
  // What TypeScript would never let through: from a part that is newer than the fold, say.
  unknown: (callId) => ({ type: 'call-teleported', callId }) as unknown as JournalEvent,
};
const ENDS = ['failed', 'denied', 'aborted', 'rolled back'];
const MAY_FOLLOW: Readonly<Record<'nothing' | LifecycleState, readonly string[]>> = {
  nothing: ['received'],
  DECLARED: ['validated', ...ENDS],
  VALIDATED: ['awaiting', 'edited', 'authorized', ...ENDS],
  AUTHORIZED: ['awaiting', 'queued', 'started', ...ENDS],
  EXECUTING: ['process', 'retrying', 'started again', 'completed', ...ENDS],
  COMPLETED: [],
  FAILED: [],
  DENIED: [],
  ABORTED: [],
  ROLLED_BACK: [],
};
const BECOMES: Readonly<Record<string, LifecycleState>> = {
  received: 'DECLARED',
  validated: 'VALIDATED',
  awaiting: 'VALIDATED',
  authorized: 'AUTHORIZED',
  started: 'EXECUTING',
  completed: 'COMPLETED',
  failed: 'FAILED',
  denied: 'DENIED',
  aborted: 'ABORTED',
  'rolled back': 'ROLLED_BACK',
};

interface Step {
  readonly call: string;
  readonly fact: string;
}

/** Mostly what may follow, and now and then anything. */
const appends = fc.array(
  fc.array(
    fc.record({
      call: fc.constantFrom('one', 'two', 'three'),
      pick: fc.nat(),
      anything: fc.integer({ min: 0, max: 9 }).map((n) => n === 0),
    }),
    { minLength: 1, maxLength: 3 },
  ),
  { minLength: 5, maxLength: 30 },
);

/** The facts of a call that was allowed and had not begun, and may have to be asked about again. */
const ASKED_AGAIN = ['received', 'validated', 'authorized', 'awaiting', 'authorized', 'started', 'completed'].map(
  (fact) => [{ call: 'one', pick: Object.keys(FACTS).indexOf(fact), anything: true }],
);

/** Everything that the database holds. */
function whole(file: string): unknown {
  const db = new Database(file, { readonly: true });
  try {
    return ['batches', 'calls', 'bodies', 'events', 'calls_text'].map((table) =>
      db.prepare(`SELECT * FROM ${table}`).all(),
    );
  } finally {
    db.close();
  }
}

describe('the journal obeys the lifecycle', () => {
  it('takes what may follow, and of what may not nothing at all, whatever comes in which order', async () => {
    let refused = 0;
    let taken = 0;
    await fc.assert(
      fc.asyncProperty(appends, async (sequence) => {
        const folder = testFolder();
        const journal = openTestJournal(folder);
        journal.append([batchReceived('b')]);
        const known = new Map<string, LifecycleState>();
        for (const group of sequence) {
          const after = new Map(known);
          let possible = true;
          const steps = group.map(({ call, pick, anything }): Step => {
            const at = after.get(call) ?? 'nothing';
            const all = Object.keys(FACTS);
            const next = anything || MAY_FOLLOW[at].length === 0 ? all : MAY_FOLLOW[at];
            const fact = next[pick % next.length] ?? 'unknown';
            possible &&= MAY_FOLLOW[at].includes(fact);
            const state = BECOMES[fact] ?? after.get(call);
            if (state !== undefined) after.set(call, state);
            return { call, fact };
          });
          const events = steps.map(({ call, fact }) => (FACTS[fact] ?? FACTS['unknown'])?.(call) as JournalEvent);
          if (possible) {
            journal.append(events);
            taken += 1;
            for (const [call, state] of after) known.set(call, state);
          } else {
            const before = whole(join(folder, 'journal.db'));
            expect(() => journal.append(events), JSON.stringify(steps)).toThrow();
            expect(whole(join(folder, 'journal.db'))).toEqual(before);
            expect(journal.health.state).toBe('ok');
            refused += 1;
          }
        }
        journal.close();
        const { service, verify } = openServiceReader(folder);
        expect(await verify()).toMatchObject({ ok: true });
        const { calls } = await service.page({ limit: 10, before: null, filter: {} });
        service.close();
        expect(new Map(calls.map(({ callId, state }) => [callId, state]))).toEqual(known);
      }),
      { numRuns: 40, examples: [[ASKED_AGAIN]] },
    );
    expect(refused).toBeGreaterThan(20);
    expect(taken).toBeGreaterThan(100);
  });

  it('refuses an event of a kind it does not know, of a batch too, and names it', () => {
    const journal = openTestJournal(testFolder());
    const unknown = { type: 'batch-forgotten', batchId: 'b' } as unknown as JournalEvent;
    expect(() => journal.append([batchReceived('b'), unknown])).toThrow('batch-forgotten');
    expect(journal.openBatches()).toEqual([]);
    journal.close();
  });

  it('says why a call waits while it waits for a place, and no longer', () => {
    const journal = openTestJournal(testFolder());
    const step = (fact: string) => (FACTS[fact] as (callId: string) => JournalEvent)('one');
    const waiting = journal.append([
      batchReceived('b'),
      ...['received', 'validated', 'authorized', 'queued'].map(step),
    ]);
    expect(waiting.calls).toMatchObject([{ state: 'AUTHORIZED', reason: 'All places are taken.' }]);
    expect(journal.append([step('started')]).calls).toMatchObject([{ state: 'EXECUTING', reason: null }]);
    expect(journal.append([settled('one', NO_RESULT)]).calls).toMatchObject([{ state: 'COMPLETED', reason: null }]);
    journal.close();
  });
});
