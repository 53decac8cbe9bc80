import { expect, it } from 'vitest';
import { PageFaultLog } from './page-faults.js';

function setUp() {
  const lines: (readonly [string, unknown])[] = [];
  let now = 0;
  const faults = new PageFaultLog(
    {
      error: (message, fields) => lines.push([message, fields]),
      warn: (message, fields) => lines.push([message, fields]),
    },
    { monotonic: () => now },
  );
  const fail = () => faults.note({ in: 'drawing', words: 'Error: no', stack: 'at a' });
  return { lines, fail, pass: (ms: number) => (now += ms) };
}

it('keeps each fault with where it happened', () => {
  const { lines, fail } = setUp();
  fail();
  expect(lines).toEqual([
    ['Something in the window’s page failed', { part: 'drawing', words: 'Error: no', stack: 'at a' }],
  ]);
});

it('keeps twenty a minute, and says of how many more it kept none', () => {
  const { lines, fail, pass } = setUp();
  for (let at = 0; at < 1000; at += 1) fail();
  expect(lines).toHaveLength(20);
  pass(60_000);
  fail();
  expect(lines.slice(20)).toEqual([
    ['More in the window’s page failed than was logged', { more: 980 }],
    ['Something in the window’s page failed', { part: 'drawing', words: 'Error: no', stack: 'at a' }],
  ]);
});
