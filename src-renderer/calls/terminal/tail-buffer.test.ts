import { expect, it } from 'vitest';
import { MAX_LINE, TailBuffer } from './tail-buffer.js';

const textOf = (buffer: TailBuffer): string =>
  buffer
    .take()
    .pieces.map(({ text }) => text)
    .join('');

it('gives what was added since the last take, in order and by stream', () => {
  const buffer = new TailBuffer();
  buffer.push('stdout', 'one\ntw');
  buffer.push('stderr', 'oops\n');
  expect(buffer.take()).toEqual({
    pieces: [
      { stream: 'stdout', text: 'one' },
      { stream: 'stdout', text: '\n' },
      { stream: 'stdout', text: 'tw' },
      { stream: 'stderr', text: 'oops' },
      { stream: 'stderr', text: '\n' },
    ],
    skipped: 0,
  });
  expect(buffer.empty).toBe(true);
  buffer.push('stdout', 'o\r\n');
  expect(textOf(buffer)).toBe('o\n');
});

it('keeps no more lines than can be seen, and says how many went by', () => {
  const buffer = new TailBuffer(50);
  for (let i = 1; i <= 10_000; i++) buffer.push('stdout', `line ${i}\n`);
  const { pieces, skipped } = buffer.take();
  const lines = pieces.filter(({ text }) => text === '\n').length;
  expect(lines).toBe(50);
  expect(lines + skipped).toBe(10_000);
  expect(pieces.at(-2)).toEqual({ stream: 'stdout', text: 'line 10000' });
});

it('takes a flood in one piece as it takes it line by line', () => {
  const flood = Array.from({ length: 5000 }, (_, i) => `line ${i}\n`).join('');
  const [atOnce, byLine] = [new TailBuffer(50), new TailBuffer(50)];
  for (const buffer of [atOnce, byLine]) buffer.push('stderr', 'before\nand half');
  atOnce.push('stdout', `${flood}end`);
  for (const line of `${flood}end`.split(/(?<=\n)/)) byLine.push('stdout', line);
  expect(atOnce.take()).toEqual(byLine.take());
});

it('can be looked at without being emptied', () => {
  const buffer = new TailBuffer(2);
  buffer.push('stdout', '1\n2\n3\n4');
  const seen = [
    { stream: 'stdout', text: '2' },
    { stream: 'stdout', text: '\n' },
  ];
  expect(buffer.pieces().slice(0, 2)).toEqual(seen);
  expect(buffer.pieces()).toEqual(buffer.take().pieces);
});

it('cuts a line without end, and takes up again after it', () => {
  const buffer = new TailBuffer();
  for (let i = 0; i < 1000; i++) buffer.push('stdout', 'x'.repeat(1000));
  buffer.push('stdout', '\nnext\n');
  expect(textOf(buffer)).toBe(`${'x'.repeat(MAX_LINE)} … (long line)\nnext\n`);
});
