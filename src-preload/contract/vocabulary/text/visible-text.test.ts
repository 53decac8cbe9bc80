import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  hasInvisible,
  findHiddenCharacters,
  toVisible,
  toVisibleLine,
  splitVisibleText,
  toVisibleText,
} from './visible-text.js';

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
    expect(toVisible(text)).toBe(expected);
  });

  it('finds where they are', () => {
    expect(findHiddenCharacters('ab\u{202e}c\n\u{200b}')).toEqual([
      { at: 2, shown: '\\u{202e}' },
      { at: 5, shown: '\\u{200b}' },
    ]);
  });

  it('makes one line of at most 200 characters, an ellipsis included, and cuts no escape', () => {
    expect(toVisibleLine('x'.repeat(200))).toBe('x'.repeat(200));
    expect(toVisibleLine('x'.repeat(201))).toBe(`${'x'.repeat(199)}…`);
    expect(toVisibleLine(`${'x'.repeat(195)}\u{202e}rest`)).toBe(`${'x'.repeat(195)}…`);
    expect(toVisibleLine(`${'x'.repeat(192)}\u{202e}`)).toBe(`${'x'.repeat(192)}\\u{202e}`);
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 400 }), (text) => {
        const line = toVisibleLine(text);
        expect(line.length).toBeLessThanOrEqual(200);
        expect(toVisible(line)).toBe(line);
      }),
    );
  });
});

describe('a text of many lines', () => {
  it('leaves plain text, tabs, line breaks and other scripts as they are', () => {
    const text = 'a\tb\nç 漢字 عربى 👍 é 👨‍👩‍👧 ✔️';
    expect(hasInvisible(text)).toBe(false);
    expect(toVisibleText(text)).toBe(text);
    expect(splitVisibleText(text)).toEqual([{ text, escape: false }]);
    expect(splitVisibleText('')).toEqual([]);
  });

  it('shows what the eye would miss', () => {
    expect(toVisibleText('\u001b[31mred\u0007')).toBe('\\u{001b}[31mred\\u{0007}');
    expect(toVisibleText('a\0b\rc')).toBe('a\\u{0000}b\\rc');
    expect(toVisibleText('invoice\u202Efdp.exe')).toBe('invoice\\u{202e}fdp.exe');
    expect(toVisibleText('pay\u200Bpal \uFEFF\u2066')).toBe('pay\\u{200b}pal \\u{feff}\\u{2066}');
    expect(toVisibleText('a\u00a0b, a\u200db')).toBe('a\\u{00a0}b, a\\u{200d}b');
    expect(toVisibleText('tag \u{E0041}')).toBe('tag \\u{e0041}');
    expect(toVisibleText('half \uD800 pair')).toBe('half \\u{d800} pair');
  });

  it('marks the escapes, so that written-out ones can be told from real ones', () => {
    expect(splitVisibleText('x\u202Ey \\u202e')).toEqual([
      { text: 'x', escape: false },
      { text: '\\u{202e}', escape: true },
      { text: 'y \\u202e', escape: false },
    ]);
  });

  it('shows a character as a line does, but for layout and pictures', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 400 }), (text) => {
        const spared = /[\n\t]|\u200d|\ufe0f/g;
        expect(toVisibleText(text.replace(spared, ''))).toBe(toVisible(text.replace(spared, '')));
        expect(hasInvisible(toVisibleText(text))).toBe(false);
      }),
    );
  });
});
