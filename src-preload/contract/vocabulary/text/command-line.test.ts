import fc from 'fast-check';
import { expect, it } from 'vitest';
import { joinCommandLine, splitCommandLine } from './command-line.js';

it('reads words as they are quoted', () => {
  expect(splitCommandLine(`npx -y "a b" 'c "d"' e\\ f --x="y z"`)).toEqual([
    'npx',
    '-y',
    'a b',
    'c "d"',
    'e f',
    '--x=y z',
  ]);
  expect(splitCommandLine('  ')).toEqual([]);
});

it('reads back every line that it writes', () => {
  fc.assert(
    fc.property(fc.array(fc.string({ unit: 'binary' })), (words) => {
      expect(splitCommandLine(joinCommandLine(words))).toEqual(words);
    }),
  );
});
