import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { AROUND_BYTES, LineScanner } from './line-scanner.js';

/** Splits into lines as a person would: each with its newline, and the rest. */
const linesOf = (text: string): readonly string[] => text.match(/[^\n]*\n|[^\n]+$/g) ?? [];

describe('LineScanner', () => {
  it('gives exactly the lines asked for, however the bytes are cut', () => {
    const texts = fc.array(fc.constantFrom('a', 'bé', '\n', '\r\n', '\r', '', '😀'), { maxLength: 30 });
    const sizes = fc.array(fc.integer({ min: 1, max: 7 }), { minLength: 1, maxLength: 5 });
    fc.assert(
      fc.property(texts, sizes, fc.integer({ min: 1, max: 8 }), fc.nat(8), (parts, cuts, first, more) => {
        const text = parts.join('');
        const bytes = Buffer.from(text);
        const scanner = new LineScanner(first, first + more);
        let complete = false;
        for (let at = 0, cut = 0; at < bytes.length && !complete; cut += 1) {
          const size = cuts[cut % cuts.length] ?? 1;
          complete = scanner.push(bytes.subarray(at, at + size));
          at += size;
        }
        const all = linesOf(text);
        expect(scanner.bytes().toString()).toBe(all.slice(first - 1, first + more).join(''));
        if (!complete) expect(scanner.lines).toBe(all.length);
        else expect(scanner.lines).toBe(first + more);
      }),
    );
  });

  it('knows when it has enough', () => {
    const scanner = new LineScanner(2, 2);
    expect(scanner.push(Buffer.from('a\nb'))).toBe(false);
    expect(scanner.push(Buffer.from('c\n'))).toBe(true);
    expect(scanner.bytes().toString()).toBe('bc\n');
  });

  it('counts no line in nothing', () => {
    const scanner = new LineScanner(1, 5);
    expect(scanner.push(Buffer.alloc(0))).toBe(false);
    expect(scanner.lines).toBe(0);
  });

  it('keeps what stands before and behind them, as much as is looked at, however the bytes are cut', () => {
    const sizes = fc.array(fc.integer({ min: 1000, max: 70_000 }), { minLength: 1, maxLength: 5 });
    fc.assert(
      fc.property(sizes, fc.nat(6000), fc.nat(20), (cuts, first, more) => {
        const all = Array.from({ length: 7000 }, (_, at) => `line ${at} ${'x'.repeat(at % 90)}\n`);
        const bytes = Buffer.from(all.join(''));
        const scanner = new LineScanner(first + 1, first + 1 + more);
        for (let at = 0, cut = 0; at < bytes.length && scanner.wantsMore; cut += 1) {
          const size = cuts[cut % cuts.length] ?? 1;
          scanner.push(bytes.subarray(at, at + size));
          at += size;
        }
        const { before, after } = scanner.around();
        expect(scanner.bytes().toString()).toBe(all.slice(first, first + 1 + more).join(''));
        expect(before.toString()).toBe(all.slice(0, first).join('').slice(-AROUND_BYTES));
        expect(after.toString()).toBe(
          all
            .slice(first + 1 + more)
            .join('')
            .slice(0, AROUND_BYTES),
        );
      }),
      { numRuns: 40 },
    );
  });
});
