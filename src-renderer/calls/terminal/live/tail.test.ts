import { expect, it } from 'vitest';
import { Tail } from './tail.js';

const texts = (tail: Tail): readonly string[] => tail.rows().map(({ text }) => text);

it('keeps the rows as they were drawn, in order and by stream', () => {
  const tail = new Tail();
  tail.push('stdout', 'one\ntw');
  tail.push('stderr', 'oops\n');
  expect(texts(tail)).toEqual(['one\n', 'twoops\n']);
  tail.push('stdout', '10 %\r20 %');
  tail.push('stdout', '\r30 %');
  expect(texts(tail)).toEqual(['one\n', 'twoops\n', '30 %']);
  expect(tail.current().text).toBe('30 %');
});

it('keeps no more lines than can be seen, and counts all', () => {
  const tail = new Tail(50);
  for (let i = 1; i <= 10_000; i++) tail.push('stdout', `line ${i}\n`);
  expect(tail.finished).toBe(10_000);
  expect(texts(tail)).toHaveLength(50);
  expect(tail.since(9_998).map(({ text }) => text)).toEqual(['line 9999\n', 'line 10000\n']);
  expect(tail.since(10_000)).toEqual([]);
});

it('takes a flood in one piece as it takes it line by line', () => {
  const lines = Array.from({ length: 5000 }, (_, i) => `line ${i}\n`);
  const whole = new Tail(50);
  whole.push('stdout', lines.join(''));
  const byLine = new Tail(50);
  for (const line of lines) byLine.push('stdout', line);
  expect(texts(whole)).toEqual(texts(byLine));
});
