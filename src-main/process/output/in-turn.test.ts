import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { InTurn, LONGEST_MS, MOST_BEHIND_BYTES, PAUSE_MS } from './in-turn.js';

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setImmediate', 'performance'] }));
afterEach(() => void vi.useRealTimers());

function open() {
  const order: string[] = [];
  const note = (bytes: Buffer): void => void order.push(bytes.toString().replace(/x+/u, 'x'));
  return { order, both: new InTurn(note, note) };
}

const much = (text: string): Buffer => Buffer.from(text + 'x'.repeat(4096));

it('passes on at once what comes while the terminal has little to say', () => {
  const { order, both } = open();
  both.stdout(Buffer.from('a'));
  both.stderr(Buffer.from('e'));
  both.stdout(Buffer.from('b'));
  expect(order).toEqual(['a', 'e', 'b']);
});

it('lets the terminal pass on first what was written before', async () => {
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

it('does not wait for ever where the terminal goes on', async () => {
  const { order, both } = open();
  both.stdout(much('a'));
  both.stderr(Buffer.from('e'));
  for (let ms = 0; ms <= LONGEST_MS + PAUSE_MS; ms += 1) {
    both.stdout(Buffer.from('.'));
    await vi.advanceTimersByTimeAsync(1);
  }
  expect(order).toContain('e');
});

it('waits for no more than a terminal can hold', () => {
  const { order, both } = open();
  both.stdout(much('a'));
  both.stderr(Buffer.from('e'));
  for (let bytes = 0; bytes < MOST_BEHIND_BYTES; bytes += 4097) both.stdout(much('b'));
  expect(order.filter((each) => each === 'e')).toHaveLength(1);
});

it('reads what is there before it takes its own lateness for a pause', async () => {
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

it('gives what it holds when nothing more is to come', () => {
  const { order, both } = open();
  both.stdout(much('a'));
  both.stderr(Buffer.from('e'));
  both.letGo();
  expect(order).toEqual(['ax', 'e']);
});
