import { expect, test } from 'vitest';
import type { AuthorizedCall } from '../../../domain/call/call-stages.js';
import type { QueueTicket } from '../../../domain/ports/gate/place-queue.js';
import { advance, isOnRecord, NEW, withdrawalEffect, type CallStage, type StageEvent } from './call-stage.js';

// Neither is looked into here.
const call = {} as AuthorizedCall;
const ticket = {} as QueueTicket;
const started = { writtenSoon: true } as const;
const hooked = { by: 'a', arguments: {}, at: 1 };

const EVENTS: Readonly<Record<StageEvent['type'], StageEvent>> = {
  'wait-for': { type: 'wait-for', what: 'folder' },
  record: { type: 'record', as: 'received' },
  judge: { type: 'judge', after: 3 },
  hook: { type: 'hook', hooked },
  'take-place': { type: 'take-place', ticket },
  'pass-place': { type: 'pass-place' },
  ask: { type: 'ask', for: 'decision' },
  grant: { type: 'grant', call },
  'prove-start': { type: 'prove-start', started },
  begin: { type: 'begin' },
  tell: { type: 'tell', told: { told: { percent: 5, phase: null } } },
  lose: { type: 'lose', what: 'start' },
  end: { type: 'end' },
  settle: { type: 'settle' },
};

const after = (...events: readonly StageEvent[]): CallStage =>
  events.reduce<CallStage>((stage, event) => {
    const next = advance(stage, event);
    if (next === null) throw new Error(`${event.type} can’t follow ${stage.at}`);
    return next;
  }, NEW);

const STAGES = {
  planning: NEW,
  'waiting for a decision': after(EVENTS.ask),
  'waiting for a result': after({ type: 'ask', for: 'result' }),
  ready: after(EVENTS.grant),
  running: after(EVENTS.grant, EVENTS.begin),
  ending: after(EVENTS.grant, EVENTS.begin, EVENTS.end),
  settled: after(EVENTS.settle),
};

/** The events that each stage takes, with the stage that follows. */
const TAKES: Readonly<Record<keyof typeof STAGES, Readonly<Partial<Record<StageEvent['type'], CallStage['at']>>>>> = {
  planning: {
    'wait-for': 'planning',
    record: 'planning',
    judge: 'planning',
    hook: 'planning',
    'take-place': 'planning',
    ask: 'waiting',
    grant: 'ready',
    tell: 'planning',
    lose: 'planning',
    settle: 'settled',
  },
  'waiting for a decision': {
    hook: 'waiting',
    ask: 'waiting',
    grant: 'ready',
    tell: 'waiting',
    lose: 'waiting',
    settle: 'settled',
  },
  'waiting for a result': { hook: 'waiting', ask: 'waiting', tell: 'waiting', lose: 'waiting', settle: 'settled' },
  ready: {
    hook: 'ready',
    'take-place': 'ready',
    'prove-start': 'ready',
    begin: 'running',
    tell: 'ready',
    lose: 'ready',
    settle: 'settled',
  },
  running: {
    hook: 'running',
    'pass-place': 'running',
    tell: 'running',
    lose: 'running',
    end: 'ending',
    settle: 'settled',
  },
  ending: { hook: 'ending', 'pass-place': 'ending', tell: 'ending', lose: 'ending', settle: 'settled' },
  settled: { hook: 'settled', tell: 'settled', lose: 'settled' },
};

test.each(
  Object.keys(STAGES).flatMap((name) =>
    Object.values(EVENTS).map((event) => [name as keyof typeof STAGES, event.type, event] as const),
  ),
)('a call that is %s: %s', (name, type, event) => {
  expect(advance(STAGES[name], event)?.at ?? null).toBe(TAKES[name][type] ?? null);
});

test('what is known of a call goes with it from stage to stage, and no further', () => {
  const planned = after({ type: 'judge', after: 3 }, EVENTS.hook, EVENTS['take-place']);
  const ready = advance(planned, EVENTS.grant);
  expect(ready).toEqual({ at: 'ready', call, started: null, ticket, lost: 'nothing', judgedAfter: 3, hooked });
  const running = after({ type: 'judge', after: 3 }, EVENTS.hook, EVENTS['take-place'], EVENTS.grant, EVENTS.begin);
  expect(running).not.toHaveProperty('started');
  expect(advance(running, { type: 'tell', told: { checkpoint: null } })).toMatchObject({ ticket, hooked });
  expect(advance(running, EVENTS.settle)).toEqual({ at: 'settled' });
});

test('a call that was judged once more at the decision is judged after what was over by then', () => {
  const waiting = after({ type: 'judge', after: 3 }, EVENTS.ask);
  expect(advance(waiting, { type: 'grant', call, judgedAfter: 7 })).toMatchObject({ judgedAfter: 7, ticket: null });
});

test('a call that waits for a result is granted to nobody', () => {
  expect(advance(STAGES['waiting for a result'], EVENTS.grant)).toBeNull();
});

test('a call that is taken back ends at once where nothing was begun, and is told to stop where something is under way', () => {
  const told = Object.entries(STAGES).map(([name, stage]) => [name, withdrawalEffect(stage)]);
  expect(Object.fromEntries(told)).toEqual({
    planning: 'stops',
    'waiting for a decision': 'ends',
    'waiting for a result': 'ends',
    ready: 'ends',
    running: 'stops',
    ending: 'is over',
    settled: 'is over',
  });
  expect(withdrawalEffect(after({ type: 'wait-for', what: 'unfinished-work' }))).toBe('ends');
  expect(withdrawalEffect(after({ type: 'wait-for', what: 'folder' }))).toBe('stops');
});

test('what the journal lost of a call is not on record', () => {
  expect(isOnRecord(NEW)).toBe(false);
  expect(isOnRecord(after(EVENTS.record))).toBe(true);
  expect(isOnRecord(STAGES.running)).toBe(true);
  expect(isOnRecord(after(EVENTS.grant, EVENTS.lose))).toBe(true);
  expect(isOnRecord(after(EVENTS.grant, { type: 'lose', what: 'all' }, EVENTS.begin))).toBe(false);
});
