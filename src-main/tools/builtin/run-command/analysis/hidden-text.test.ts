import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { findHiddenText } from './hidden-text.js';

const starts = (command: string): number[] =>
  findHiddenText(command)
    .filter(({ words }) => words.startsWith('continues here'))
    .map(({ start }) => start);

/** The same in one expression: plain to read, but its work grows with the square of blanks that nothing follows. */
const asOneExpression = (command: string): number[] =>
  [...command.matchAll(/[ \t]{40,}(?=\S)|(?:[ \t]*\n){8,}(?=[ \t]*\S)/gu)]
    .slice(0, 20)
    .map((match) => match.index + match[0].length);

describe('text that is pushed out of sight', () => {
  it('is found wherever the plain expression finds it', () => {
    const piece = fc.constantFrom(
      ' ',
      '\t',
      '\n',
      'a',
      '🎈',
      '\r',
      '\u{a0}',
      ' '.repeat(39),
      ' '.repeat(40),
      '\n'.repeat(7),
      '\n \t'.repeat(8),
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 25 }), (pieces) => {
        const command = pieces.join('');
        expect(starts(command)).toEqual(asOneExpression(command));
      }),
      { numRuns: 3000 },
    );
  });

  it.each([
    ['blanks', ' '],
    ['line ends', '\n'],
    ['both', ' \n'],
    ['a run before each letter', `${' '.repeat(39)}x`],
  ])('is sought in a command of the longest kind that is nearly all %s', (_, blank) => {
    // For the plain expression these are billions of steps.
    const command = `echo hi${blank.repeat(131_000 / blank.length)}`;
    expect(starts(command)).toEqual([]);
    expect(starts(`${command.trimEnd()}${'\n'.repeat(9)}${' '.repeat(40)}x`)).toHaveLength(2);
  });
});
