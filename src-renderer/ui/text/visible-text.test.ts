import { describe, expect, it } from 'vitest';
import { hasInvisible, oneLine, visibleParts, visibleText } from './visible-text.js';

describe('visible text', () => {
  it('leaves plain text, tabs, line breaks and other scripts as they are', () => {
    const text = 'a\tb\nç 漢字 عربى 👍 é 👨‍👩‍👧 ✔️';
    expect(hasInvisible(text)).toBe(false);
    expect(visibleText(text)).toBe(text);
    expect(visibleParts(text)).toEqual([{ text, escape: false }]);
    expect(visibleParts('')).toEqual([]);
  });

  it('shows what the eye would miss', () => {
    expect(visibleText('\u001b[31mred\u0007')).toBe('\\u{001b}[31mred\\u{0007}');
    expect(visibleText('a\0b\rc')).toBe('a\\u{0000}b\\rc');
    expect(visibleText('invoice\u202Efdp.exe')).toBe('invoice\\u{202e}fdp.exe');
    expect(visibleText('pay\u200Bpal \uFEFF\u2066')).toBe('pay\\u{200b}pal \\u{feff}\\u{2066}');
    expect(visibleText('a\u00a0b, a\u200db')).toBe('a\\u{00a0}b, a\\u{200d}b');
    expect(visibleText('tag \u{E0041}')).toBe('tag \\u{e0041}');
    expect(visibleText('half \uD800 pair')).toBe('half \\u{d800} pair');
  });

  it('marks the escapes, so that written-out ones can be told from real ones', () => {
    expect(visibleParts('x\u202Ey \\u202e')).toEqual([
      { text: 'x', escape: false },
      { text: '\\u{202e}', escape: true },
      { text: 'y \\u202e', escape: false },
    ]);
  });

  it('makes one line of anything, however long', () => {
    expect(oneLine('one\n  two')).toBe('one ⏎ two');
    expect(oneLine('x'.repeat(1_000_000), 100)).toBe(`${'x'.repeat(100)}…`);
  });
});
