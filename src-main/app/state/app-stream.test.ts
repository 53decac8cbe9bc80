import { expect, test } from 'vitest';
import type { AppEvent, AppSnapshot } from '#contract/window/app-events.js';
import { applyEvent } from '#contract/window/app-state.js';
import type { CallSummary } from '#contract/vocabulary/calls.js';
import { AppStream } from './app-stream.js';

const initial = {
  workspace: null,
  workspaces: [],
  recentWorkspaces: [],
  notices: [],
  approvals: [],
  calls: [],
  recovery: null,
  question: null,
  folderQuestions: [],
} as unknown as Omit<AppSnapshot, 'seq'>;

/** Time that passes when the test says so. */
function stream() {
  const due: (() => void)[] = [];
  const made = new AppStream(initial, { after: (_ms, run) => due.push(run) });
  const events: AppEvent[] = [];
  made.onEvent((event) => events.push(event));
  return { stream: made, events, tick: () => due.splice(0).forEach((run) => run()) };
}

const output = (text: string, callId = 'a', from: 'stdout' | 'stderr' = 'stdout') =>
  ({ type: 'output', callId, pieces: [{ stream: from, text }] }) as const;
const call = (callId: string) => ({ type: 'call', call: { callId, outcome: 'success' } as CallSummary }) as const;
const notice = (id: string) =>
  ({
    type: 'notice',
    notice: { id, severity: 'info', title: id, text: '', details: null, dismissible: true },
  }) as const;

test('Who folds the events over an earlier snapshot has the later one, whenever they joined', () => {
  const { stream: it, events, tick } = stream();
  it.publish(notice('a'));
  let copy = it.snapshot();
  it.publish(notice('b'));
  it.publish(output('x'));
  tick();
  it.publish({ type: 'notice-gone', id: 'a' });
  for (const event of events.filter(({ seq }) => seq > copy.seq)) {
    expect(event.seq).toBe(copy.seq + 1);
    copy = { ...applyEvent(copy, event), seq: event.seq };
  }
  expect(copy).toEqual(it.snapshot());
  expect(copy.notices.map(({ id }) => id)).toEqual(['b']);
});

test('Output that comes between two pictures is one event a call, its streams in the order in which they came', () => {
  const { stream: it, events, tick } = stream();
  for (const text of ['1', '2', '3']) it.publish(output(text));
  it.publish(output('e', 'a', 'stderr'));
  it.publish(output('4'));
  it.publish(output('other', 'b'));
  expect(events).toEqual([]);
  tick();
  expect(events).toMatchObject([
    {
      seq: 1,
      callId: 'a',
      pieces: [
        { stream: 'stdout', text: '123' },
        { stream: 'stderr', text: 'e' },
        { stream: 'stdout', text: '4' },
      ],
    },
    { seq: 2, callId: 'b', pieces: [{ text: 'other' }] },
  ]);
});

test('What a call said comes before what became of it; others’ output waits its turn', () => {
  const { stream: it, events, tick } = stream();
  it.publish(output('last words'));
  it.publish(output('still running', 'b'));
  it.publish(call('a'));
  expect(events.map(({ type }) => type)).toEqual(['output', 'call']);
  tick();
  expect(events.at(-1)).toMatchObject({ callId: 'b', pieces: [{ text: 'still running' }] });
});

test('A flood keeps its end, from the beginning of a line', () => {
  const { stream: it, events, tick } = stream();
  for (let at = 0; at < 20_000; at += 1) it.publish(output(`line ${at}\n`));
  tick();
  const [event] = events;
  if (event?.type !== 'output') throw new Error('No output came.');
  const [{ text } = { text: '' }] = event.pieces;
  expect(text.length).toBeLessThanOrEqual(64 * 1024);
  expect(text).toMatch(/^line \d+\n/);
  expect(text.endsWith('line 19999\n')).toBe(true);
});

test('A flood of two streams keeps the last turns of both', () => {
  const { stream: it, events, tick } = stream();
  for (let at = 0; at < 20_000; at += 1) it.publish(output(`line ${at}\n`, 'a', at % 2 === 0 ? 'stdout' : 'stderr'));
  tick();
  const [event] = events;
  if (event?.type !== 'output') throw new Error('No output came.');
  const text = event.pieces.map((piece) => piece.text).join('');
  expect(text.length).toBeLessThanOrEqual(64 * 1024);
  expect(text.length).toBeGreaterThan(60 * 1024);
  expect(text.endsWith('line 19998\nline 19999\n')).toBe(true);
});

test('A listener that left hears nothing', () => {
  const { stream: it } = stream();
  const heard: AppEvent[] = [];
  const leave = it.onEvent((event) => heard.push(event));
  it.publish(notice('a'));
  leave();
  it.publish(notice('b'));
  expect(heard).toHaveLength(1);
});
