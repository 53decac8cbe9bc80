import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { hiddenCharacters, visible, visibleLine } from './visible.js';

describe('what can’t be seen is shown', () => {
  it.each([
    ['right-to-left override', 'a\u{202e}b', 'a\\u{202e}b'],
    ['isolate', 'a\u{2067}b\u{2069}', 'a\\u{2067}b\\u{2069}'],
    ['zero-width space', 'r\u{200b}m', 'r\\u{200b}m'],
    ['byte order mark', '\u{feff}x', '\\u{feff}x'],
    ['tag characters', 'x\u{e0041}', 'x\\u{e0041}'],
    ['Hangul filler', 'x\u{3164}', 'x\\u{3164}'],
    ['no-break space', 'rm\u{a0}x', 'rm\\u{00a0}x'],
    ['line separator', 'a\u{2028}b', 'a\\u{2028}b'],
    ['newline, return, tab', 'a\n\r\tb', 'a\\n\\r\\tb'],
    ['escape', '\u{1b}[31m', '\\u{001b}[31m'],
    ['C1', '\u{9b}31m', '\\u{009b}31m'],
    ['lone surrogate', 'a\u{d800}b', 'a\\u{d800}b'],
    ['letters and pictures stay', 'Grüße 世界 🎈', 'Grüße 世界 🎈'],
  ])('%s', (_, text, expected) => {
    expect(visible(text)).toBe(expected);
  });

  it('finds where they are', () => {
    expect(hiddenCharacters('ab\u{202e}c\n\u{200b}')).toEqual([
      { at: 2, shown: '\\u{202e}' },
      { at: 5, shown: '\\u{200b}' },
    ]);
  });

  it('makes one line of at most 200 characters, an ellipsis included, and cuts no escape', () => {
    expect(visibleLine('x'.repeat(200))).toBe('x'.repeat(200));
    expect(visibleLine('x'.repeat(201))).toBe(`${'x'.repeat(199)}…`);
    expect(visibleLine(`${'x'.repeat(195)}\u{202e}rest`)).toBe(`${'x'.repeat(195)}…`);
    expect(visibleLine(`${'x'.repeat(192)}\u{202e}`)).toBe(`${'x'.repeat(192)}\\u{202e}`);
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 400 }), (text) => {
        const line = visibleLine(text);
        expect(line.length).toBeLessThanOrEqual(200);
        expect(visible(line)).toBe(line);
      }),
    );
  });
});
