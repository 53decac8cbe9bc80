import fc from 'fast-check';
import { expect, it } from 'vitest';
import { commandLine, commandWords } from './command-words.js';

it('reads words as they are quoted', () => {
  expect(commandWords(`npx -y "a b" 'c "d"' e\\ f --x="y z"`)).toEqual(['npx', '-y', 'a b', 'c "d"', 'e f', '--x=y z']);
  expect(commandWords('  ')).toEqual([]);
});

it('reads back every line that it writes', () => {
  fc.assert(
    fc.property(fc.array(fc.string({ unit: 'binary' })), (words) => {
      expect(commandWords(commandLine(words))).toEqual(words);
    }),
  );
});
