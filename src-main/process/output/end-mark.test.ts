import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createEndMarkScanner } from './end-mark.js';

const MARK = '0123456789abcdef';
const end = (code: number): string => `\u{1e}${MARK} ${code}\u{1e}`;

function scan(pieces: readonly Buffer[]) {
  const scanner = createEndMarkScanner(MARK);
  const output: Buffer[] = [];
  let word: string | null = null;
  for (const piece of pieces) {
    const pushed = scanner.push(piece);
    output.push(...pushed.output);
    word ??= pushed.word;
  }
  output.push(scanner.end());
  return { output: Buffer.concat(output).toString('latin1'), word };
}

describe('the end mark', () => {
  it('is found and taken out, wherever the stream is cut', () => {
    const whole = Buffer.from(`before\u{1e}${end(137)}after`, 'latin1');
    for (let one = 0; one <= whole.length; one += 1) {
      for (let two = one; two <= whole.length; two += 1) {
        expect(scan([whole.subarray(0, one), whole.subarray(one, two), whole.subarray(two)])).toEqual({
          output: 'before\u{1e}after',
          word: '137',
        });
      }
    }
  });

  it('is not seen in what only resembles it', () => {
    const text = `\u{1e}${MARK}x\u{1e}${MARK.slice(1)} 0\u{1e}\u{1e}\u{1e}${MARK}`;
    expect(scan([Buffer.from(text)])).toEqual({ output: text, word: null });
  });

  it('loses no byte of anything', () => {
    const unit = fc.constantFrom('\u{1e}', MARK, MARK.slice(0, 5), ' ', 'a', '0', 'é');
    fc.assert(
      fc.property(fc.array(fc.array(unit, { maxLength: 10 }), { maxLength: 8 }), (pieces) => {
        const texts = pieces.map((units) => units.join(''));
        const { output, word } = scan(texts.map((text) => Buffer.from(text, 'latin1')));
        if (word === null) expect(output).toBe(texts.join(''));
      }),
    );
  });
});
