import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { PutMark } from './place-marks.js';
import { StreamOrder, MAX_HELD_MS, MAX_BEHIND_BYTES, PAUSE_MS } from './stream-order.js';

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setImmediate', 'performance'] }));
afterEach(() => void vi.useRealTimers());

/** `takes`: what becomes of a mark; changed as it goes on. */
function open(takes: PutMark = 'never') {
  const order: string[] = [];
  const note = (bytes: Buffer): void => void order.push(bytes.toString().replace(/x+/u, 'x'));
  const terminal = { takes, marks: 0 };
  const mark = (): PutMark => {
    if (terminal.takes === 'put') terminal.marks += 1;
    return terminal.takes;
  };
  return { order, terminal, both: new StreamOrder(note, note, mark) };
}

const much = (text: string): Buffer => Buffer.from(text + 'x'.repeat(4096));

it('the order passes on at once what comes while a terminal that takes no mark has little to say', () => {
  const { order, both } = open();
  both.stdout(Buffer.from('a'));
  both.stderr(Buffer.from('e'));
  both.stdout(Buffer.from('b'));
  expect(order).toEqual(['a', 'e', 'b']);
});

it('the order lets the terminal pass on first what was written before', async () => {
  const { order, both } = open();
  both.stdout(much('a'));
  both.stderr(Buffer.from('e'));
  both.stderr(Buffer.from('f'));
  both.stdout(Buffer.from('b'));
  await vi.advanceTimersByTimeAsync(PAUSE_MS - 1);
  both.stdout(Buffer.from('c'));
  await vi.advanceTimersByTimeAsync(PAUSE_MS);
  both.stdout(Buffer.from('d'));
  expect(order).toEqual(['ax', 'b', 'c', 'd']);
  await vi.advanceTimersByTimeAsync(2 * PAUSE_MS);
  expect(order).toEqual(['ax', 'b', 'c', 'd', 'e', 'f']);
  both.stderr(Buffer.from('g'));
  expect(order.at(-1)).toBe('g');
});

it('the order does not wait for ever where the terminal goes on', async () => {
  const { order, both } = open();
  both.stdout(much('a'));
  both.stderr(Buffer.from('e'));
  for (let ms = 0; ms <= MAX_HELD_MS + PAUSE_MS; ms += 1) {
    both.stdout(Buffer.from('.'));
    await vi.advanceTimersByTimeAsync(1);
  }
  expect(order).toContain('e');
});

it('the order waits for no more than a terminal can hold', () => {
  const { order, both } = open();
  both.stdout(much('a'));
  both.stderr(Buffer.from('e'));
  for (let bytes = 0; bytes < MAX_BEHIND_BYTES; bytes += 4097) both.stdout(much('b'));
  expect(order.filter((each) => each === 'e')).toHaveLength(1);
});

it('the order reads what is there before it takes its own lateness for a pause', async () => {
  const { order, both } = open();
  both.stdout(much('a'));
  both.stderr(Buffer.from('e'));
  // It was there all the time, and its turn comes right after the clock's.
  setTimeout(() => both.stdout(Buffer.from('b')), PAUSE_MS);
  await vi.advanceTimersByTimeAsync(PAUSE_MS + 1);
  expect(order).toEqual(['ax', 'b']);
  await vi.advanceTimersByTimeAsync(2 * PAUSE_MS);
  expect(order).toEqual(['ax', 'b', 'e']);
});

it('the order gives what it holds when nothing more is to come', () => {
  const { order, both } = open();
  both.stdout(much('a'));
  both.stderr(Buffer.from('e'));
  both.releaseHeld();
  expect(order).toEqual(['ax', 'e']);
});

it('the order waits for the mark, however long the terminal takes, and for nothing after it', async () => {
  const { order, terminal, both } = open('put');
  both.stdout(Buffer.from('ax'));
  await vi.advanceTimersByTimeAsync(10 * PAUSE_MS);
  both.stderr(Buffer.from('e'));
  terminal.takes = 'later';
  await vi.advanceTimersByTimeAsync(10 * PAUSE_MS);
  both.stdout(much('b'));
  both.stderr(Buffer.from('f'));
  await vi.advanceTimersByTimeAsync(10 * PAUSE_MS);
  terminal.takes = 'put';
  both.marked();
  expect(order).toEqual(['ax', 'bx', 'e']);
  both.stdout(much('c'));
  both.marked();
  expect(order).toEqual(['ax', 'bx', 'e', 'cx', 'f']);
  expect(terminal.marks).toBe(2);
});

it('the order asks again for a mark that the terminal had no room for', () => {
  const { order, terminal, both } = open('later');
  both.stdout(much('a'));
  both.stderr(Buffer.from('e'));
  terminal.takes = 'put';
  both.stdout(much('b'));
  expect(terminal.marks).toBe(1);
  both.marked();
  expect(order).toEqual(['ax', 'bx', 'e']);
});

it('the order does not wait for ever where the terminal stands still', async () => {
  const { order, both } = open('put');
  both.stdout(much('a'));
  both.stderr(Buffer.from('e'));
  await vi.advanceTimersByTimeAsync(MAX_HELD_MS + 2 * PAUSE_MS);
  expect(order).toEqual(['ax', 'e']);
});
