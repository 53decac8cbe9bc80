import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { AppEvent, AppStatus } from '#contract/window/app-events.js';
import { EventBatcher } from './event-batcher.js';

const event = (seq: number): AppEvent => ({ seq, type: 'settings-changed' });
const status = (seq: number): AppEvent => ({ seq, type: 'status', status: {} as AppStatus });

function setUp() {
  const sent: (readonly number[])[] = [];
  const told = new EventBatcher((events) => sent.push(events.map(({ seq }) => seq)));
  return {
    sent,
    told,
    add: (...seqs: number[]) => seqs.forEach((seq) => told.add(event(seq))),
    flush: () => told.flush(),
  };
}

describe('what the page is told', () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] }));
  afterEach(() => void vi.useRealTimers());

  it('goes out together, in order, after the turn in which it was told', () => {
    const { sent, add } = setUp();
    add(1, 2);
    expect(sent).toEqual([]);
    add(3);
    vi.advanceTimersByTime(1);
    expect(sent).toEqual([[1, 2, 3]]);
  });

  it('goes out sixty times a second at most, and loses nothing', () => {
    const { sent, add } = setUp();
    for (let seq = 1; seq <= 1000; seq += 1) {
      add(seq);
      vi.advanceTimersByTime(1);
    }
    vi.advanceTimersByTime(16);
    expect(sent.flat()).toEqual(Array.from({ length: 1000 }, (_, at) => at + 1));
    expect(sent.length).toBeLessThanOrEqual(64);
  });

  it('goes out less often where it is of lists, and with what is more urgent', () => {
    const { sent, told } = setUp();
    told.add(status(1));
    vi.advanceTimersByTime(32);
    told.add(status(2));
    vi.advanceTimersByTime(90);
    expect(sent).toEqual([[1]]);
    vi.advanceTimersByTime(10);
    expect(sent).toEqual([[1], [2]]);
    told.add(status(3));
    told.add(event(4));
    told.add(status(5));
    vi.advanceTimersByTime(16);
    expect(sent).toEqual([[1], [2], [3, 4, 5]]);
  });

  it('goes out when a call that was over in a moment is over, once', () => {
    const { sent, told } = setUp();
    told.add(status(1));
    vi.advanceTimersByTime(20);
    told.add(status(2));
    expect(sent).toEqual([]);
    vi.advanceTimersByTime(12);
    expect(sent).toEqual([[1, 2]]);
  });

  it('goes out before what it came before', () => {
    const { sent, add, flush } = setUp();
    add(1);
    flush();
    flush();
    add(2, 3);
    flush();
    vi.advanceTimersByTime(100);
    expect(sent).toEqual([[1], [2, 3]]);
  });
});
