import { describe, expect, it } from 'vitest';
import type { AppSnapshot } from '#contract/window/app-events.js';
import type { CallSummary } from '#contract/vocabulary/calls.js';
import { createAppStore, goTo, openCall, pinDetail, receiveEvents, receiveSnapshot } from './app-store.js';
import { callById } from './calls-index.js';
import { createLiveEvents } from './live-events.js';

const call = (callId: string, extra: Partial<CallSummary> = {}) => ({ callId, outcome: null, ...extra }) as CallSummary;
const snapshot = (extra: Partial<AppSnapshot> = {}): AppSnapshot => ({
  ...createAppStore().getState().app,
  seq: 7,
  ...extra,
});

describe('the window’s store', () => {
  it('takes a snapshot whole, and keeps where the person is', () => {
    const store = createAppStore();
    goTo(store, 'history');
    receiveSnapshot(store, snapshot({ workspace: { path: '/w', name: 'w' } }));
    expect(store.getState().connection).toEqual({ phase: 'ready' });
    expect(store.getState().app.workspace?.name).toBe('w');
    expect(store.getState().app).not.toHaveProperty('seq');
    expect(store.getState().place).toBe('history');
  });

  it('folds events as main does', () => {
    const store = createAppStore();
    receiveSnapshot(store, snapshot({ calls: [call('a')] }));
    receiveEvents(store, [{ type: 'call', call: call('b') }]);
    receiveEvents(store, [{ type: 'call', call: call('a', { outcome: 'success' }) }]);
    expect(store.getState().app.calls.map((each) => [each.callId, each.outcome])).toEqual([
      ['a', 'success'],
      ['b', null],
    ]);
  });

  it('changes once for what came together', () => {
    const store = createAppStore();
    let changes = 0;
    store.subscribe(() => (changes += 1));
    receiveEvents(store, [
      { type: 'call', call: call('a') },
      { type: 'output', callId: 'a', pieces: [{ stream: 'stdout', text: 'x' }] },
      { type: 'call', call: call('a', { outcome: 'success' }) },
      { type: 'call', call: call('b') },
    ]);
    expect(changes).toBe(1);
    expect(store.getState().app.calls.map((each) => [each.callId, each.outcome])).toEqual([
      ['a', 'success'],
      ['b', null],
    ]);
  });

  it('does not change while output streams, so that nothing renders again', () => {
    const store = createAppStore();
    const before = store.getState();
    let changes = 0;
    store.subscribe(() => (changes += 1));
    for (let n = 0; n < 1000; n += 1) {
      receiveEvents(store, [{ type: 'output', callId: 'a', pieces: [{ stream: 'stdout', text: 'x' }] }]);
    }
    expect(changes).toBe(0);
    expect(store.getState()).toBe(before);
  });

  it('follows the menus', () => {
    const store = createAppStore();
    receiveEvents(store, [{ type: 'navigate', place: 'health' }]);
    expect(store.getState().place).toBe('health');
  });

  it('closes the detail with its place, unless it is pinned', () => {
    const store = createAppStore();
    openCall(store, 'a');
    goTo(store, 'history');
    expect(store.getState().detailCallId).toBeNull();
    openCall(store, 'a');
    pinDetail(store, true);
    goTo(store, 'tools');
    expect(store.getState().detailCallId).toBe('a');
  });
});

it('finds calls by id in the list of the moment', () => {
  const calls = [call('a'), call('b')];
  expect(callById(calls, 'b')?.callId).toBe('b');
  expect(callById(calls, 'c')).toBeNull();
  expect(callById([...calls, call('c')], 'c')?.callId).toBe('c');
});

describe('live events', () => {
  it('reach those who listen to that call only', () => {
    const live = createLiveEvents();
    const seen: string[] = [];
    const off = live.onOutput('a', ({ pieces }) => seen.push(`a:${pieces.map(({ text }) => text).join('')}`));
    live.on('output', ({ callId }) => seen.push(`any:${callId}`));
    live.emit({ type: 'output', callId: 'a', pieces: [{ stream: 'stdout', text: '1' }] });
    live.emit({ type: 'output', callId: 'b', pieces: [{ stream: 'stderr', text: '2' }] });
    off();
    live.emit({ type: 'output', callId: 'a', pieces: [{ stream: 'stdout', text: '3' }] });
    expect(seen).toEqual(['any:a', 'a:1', 'any:b', 'any:a']);
  });

  it('tells of gaps', () => {
    const live = createLiveEvents();
    let gaps = 0;
    const off = live.onGap(() => (gaps += 1));
    live.emitGap();
    off();
    live.emitGap();
    expect(gaps).toBe(1);
  });
});
