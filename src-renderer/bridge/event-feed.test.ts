import { describe, expect, it } from 'vitest';
import type { AppEvent, AppSnapshot } from '#contract/window/app-events.js';
import type { BridgeResult } from '#contract/window/result.js';
import { startEventFeed } from './event-feed.js';

const snapshot = (seq: number) => ({ seq }) as AppSnapshot;
const event = (seq: number): AppEvent => ({ seq, type: 'settings-changed' });

function setUp() {
  const seen: string[] = [];
  const answers: ((answer: BridgeResult<AppSnapshot>) => void)[] = [];
  let listener: ((events: readonly AppEvent[]) => void) | null = null;
  const feed = startEventFeed({
    fetchSnapshot: () => new Promise((resolve) => answers.push(resolve)),
    subscribe: (next) => {
      listener = next;
      return () => {
        listener = null;
      };
    },
    onSnapshot: ({ seq }) => seen.push(`snapshot ${seq}`),
    onEvents: (events) => seen.push(...events.map(({ seq }) => `event ${seq}`)),
    onProblem: ({ message }) => seen.push(`problem ${message}`),
  });
  return {
    feed,
    seen,
    asked: () => answers.length,
    emit: (...seqs: number[]) => seqs.forEach((seq) => listener?.([event(seq)])),
    emitTogether: (...seqs: number[]) => listener?.(seqs.map(event)),
    answer: async (seq: number, which = answers.length - 1) => {
      answers[which]?.({ ok: true, value: snapshot(seq) });
      await Promise.resolve();
    },
    fail: async () => {
      answers.at(-1)?.({ ok: false, error: { code: 'unavailable', message: 'not yet' } });
      await Promise.resolve();
    },
    listening: () => listener !== null,
  };
}

describe('startEventFeed', () => {
  it('gives events that follow the snapshot, and drops those that are in it', async () => {
    const { seen, emit, answer } = setUp();
    emit(3, 4, 5);
    await answer(4);
    emit(6);
    expect(seen).toEqual(['snapshot 4', 'event 5', 'event 6']);
  });

  it('asks for a new snapshot when a number is missing, and loses nothing that came meanwhile', async () => {
    const { seen, emit, answer, asked } = setUp();
    await answer(1);
    emit(2, 4, 5);
    expect(asked()).toBe(2);
    emit(6);
    await answer(4);
    expect(seen).toEqual(['snapshot 1', 'event 2', 'snapshot 4', 'event 5', 'event 6']);
    expect(asked()).toBe(2);
  });

  it('asks again when what came meanwhile has a gap itself', async () => {
    const { seen, emit, answer, asked } = setUp();
    emit(8);
    await answer(3);
    expect(asked()).toBe(2);
    await answer(8);
    emit(9);
    expect(seen).toEqual(['snapshot 3', 'snapshot 8', 'event 9']);
  });

  it('ignores numbers it has seen', async () => {
    const { seen, emit, answer } = setUp();
    await answer(5);
    emit(6, 6, 5, 7);
    expect(seen).toEqual(['snapshot 5', 'event 6', 'event 7']);
  });

  it('takes what came together like what came one by one', async () => {
    const { seen, emitTogether, answer, asked } = setUp();
    emitTogether(3, 4, 5);
    await answer(4);
    emitTogether(5, 6, 8, 9);
    expect(asked()).toBe(2);
    emitTogether(10, 11);
    await answer(9);
    expect(seen).toEqual(['snapshot 4', 'event 5', 'event 6', 'snapshot 9', 'event 10', 'event 11']);
    expect(asked()).toBe(2);
  });

  it('reports a snapshot that could not be had, and recovers when asked to', async () => {
    const { seen, emit, answer, fail, feed } = setUp();
    await fail();
    emit(2);
    feed.resync();
    await answer(1);
    expect(seen).toEqual(['problem not yet', 'snapshot 1', 'event 2']);
  });

  it('takes only the newest of several snapshots on their way', async () => {
    const { seen, answer, feed } = setUp();
    feed.resync();
    await answer(9, 1);
    await answer(2, 0);
    expect(seen).toEqual(['snapshot 9']);
  });

  it('is silent after stop', async () => {
    const { seen, answer, feed, listening } = setUp();
    feed.stop();
    await answer(1);
    expect(seen).toEqual([]);
    expect(listening()).toBe(false);
  });
});
