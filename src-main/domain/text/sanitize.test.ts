import fc from 'fast-check';
import xterm from '@xterm/headless';
import { describe, expect, it } from 'vitest';
import { createByteSanitizer, createSanitizer, MAX_SEQUENCE, sanitize } from './sanitize.js';

const ESC = '\u{1b}';
const CONTROL_LEFT = /[^\P{Cc}\n\r\t]/u;

/** Attacks, each between two marks; the third text is what a person should still see. */
const ATTACKS: readonly (readonly [name: string, attack: string, kept: string])[] = [
  ['colour', `${ESC}[31mred${ESC}[0m`, 'red'],
  ['colour with colons', `${ESC}[38:2::1:2:3mx`, 'x'],
  ['cursor up and erase', `${ESC}[1A${ESC}[2K`, ''],
  ['cursor home and clear', `${ESC}[H${ESC}[2J`, ''],
  ['alternate screen', `${ESC}[?1049h`, ''],
  ['bracketed paste', `${ESC}[?2004h`, ''],
  ['mouse reports', `${ESC}[?1003;1006h`, ''],
  ['application keypad', `${ESC}=`, ''],
  ['full reset', `${ESC}c`, ''],
  ['soft reset', `${ESC}[!p`, ''],
  ['character set', `${ESC}(0lqk`, 'lqk'],
  ['line size', `${ESC}#8`, ''],
  ['save and restore cursor', `${ESC}7${ESC}8`, ''],
  ['scroll region', `${ESC}[2;5r`, ''],
  ['device attributes', `${ESC}[c${ESC}[>c${ESC}[=c`, ''],
  ['status report', `${ESC}[5n${ESC}[6n`, ''],
  ['window report', `${ESC}[18t${ESC}[21t`, ''],
  ['mode report', `${ESC}[?25$p`, ''],
  ['title by BEL', `${ESC}]0;owned\u{7}`, ''],
  ['title by ST', `${ESC}]2;owned${ESC}\\`, ''],
  ['title by C1 ST', `${ESC}]2;owned\u{9c}`, ''],
  ['clipboard', `${ESC}]52;c;ZWNobyBvd25lZA==\u{7}`, ''],
  ['clipboard query', `${ESC}]52;c;?\u{7}`, ''],
  ['link', `${ESC}]8;;http://example.invalid${ESC}\\click${ESC}]8;;${ESC}\\`, 'click'],
  ['palette query', `${ESC}]4;1;?\u{7}${ESC}]10;?\u{7}`, ''],
  ['settings query (DCS)', `${ESC}P$qm${ESC}\\`, ''],
  ['termcap query (DCS)', `${ESC}P+q544e${ESC}\\`, ''],
  ['string with newlines (DCS)', `${ESC}Pq#0;2;0\n;0;0~~\n${ESC}\\`, ''],
  ['APC', `${ESC}_Gi=1;AAAA${ESC}\\`, ''],
  ['PM', `${ESC}^private${ESC}\\`, ''],
  ['SOS', `${ESC}Xstart${ESC}\\`, ''],
  ['string broken off by CAN', `${ESC}]0;owned\u{18}text`, 'text'],
  ['string broken off by SUB', `${ESC}]0;owned\u{1a}text`, 'text'],
  ['string broken off by a sequence', `${ESC}]0;owned${ESC}[31mtext`, 'text'],
  ['string broken off by a C1 sequence', `${ESC}]0;owned\u{9b}31mtext`, 'text'],
  ['sequence broken off by a sequence', `${ESC}[31${ESC}[32mtext`, 'text'],
  ['sequence broken off by CAN', `${ESC}[31\u{18}text`, 'text'],
  ['sequence broken off by a newline', `${ESC}[31\ntext`, '\ntext'],
  ['sequence broken off by a letter beyond ASCII', `${ESC}[31étext`, 'étext'],
  ['sequence with controls inside', `${ESC}[3\u{8}1\u{7}mtext`, 'text'],
  ['escape before a newline', `${ESC}\ntext`, '\ntext'],
  ['escape with intermediates', `${ESC} Ftext`, 'text'],
  ['C1 CSI', '\u{9b}2Jtext', 'text'],
  ['C1 OSC', '\u{9d}0;owned\u{9c}text', 'text'],
  ['C1 DCS', '\u{90}$qm\u{9c}text', 'text'],
  ['C1 APC', '\u{9f}x\u{9c}text', 'text'],
  ['C1 PM', '\u{9e}x\u{9c}text', 'text'],
  ['C1 SOS', '\u{98}x\u{9c}text', 'text'],
  ['other C1 (IND, NEL, RI, HTS, SS2, SS3)', '\u{84}\u{85}\u{8d}\u{88}\u{8e}\u{8f}text', 'text'],
  ['bell, backspace, vertical tab, form feed', 'a\u{7}\u{8}\u{b}\u{c}b', 'ab'],
  ['shift out and in', '\u{e}lqk\u{f}', 'lqk'],
  ['NUL, DEL, ENQ', 'a\u{0}\u{7f}\u{5}b', 'ab'],
  ['return that overwrites', 'harmless\rrm -rf', 'harmless\nrm -rf'],
  ['returns before a newline', 'a\r\r\nb', 'a\r\nb'],
];

/** A terminal that notes everything but plain text landing on it. */
function openTerminal() {
  const effects: string[] = [];
  const terminal = new xterm.Terminal({ cols: 400, rows: 24, scrollback: 2000, allowProposedApi: true });
  terminal.onData((data) => effects.push(`reply ${JSON.stringify(data)}`));
  terminal.onBinary((data) => effects.push(`binary reply ${JSON.stringify(data)}`));
  terminal.onTitleChange((title) => effects.push(`title ${title}`));
  terminal.onBell(() => effects.push('bell'));
  terminal.buffer.onBufferChange(() => effects.push('buffer'));
  for (const final of Array.from({ length: 0x7e - 0x40 + 1 }, (_, at) => String.fromCharCode(0x40 + at))) {
    for (const prefix of ['', '?', '>', '=', '<']) {
      for (const intermediates of ['', ' ', '!', '"', '#', '$', "'", '*', '+']) {
        terminal.parser.registerCsiHandler({ prefix, intermediates, final }, () => {
          effects.push(`CSI ${prefix}${intermediates}${final}`);
          return false;
        });
      }
    }
  }
  for (let number = 0; number <= 133; number += 1) {
    terminal.parser.registerOscHandler(number, (data) => {
      effects.push(`OSC ${number} ${data}`);
      return false;
    });
  }
  const write = (text: string): Promise<void> => new Promise((resolve) => terminal.write(text, resolve));
  const screen = (): string => {
    const lines: string[] = [];
    for (let line = 0; line < terminal.buffer.active.length; line += 1) {
      lines.push(terminal.buffer.active.getLine(line)?.translateToString(true) ?? '');
    }
    return lines.join('\n').trimEnd();
  };
  const modes = (): string => JSON.stringify({ ...terminal.modes });
  return { effects, write, screen, modes, dispose: () => terminal.dispose() };
}

/** Newlines need a return on a bare terminal; it is the only control that may be in there. */
const asTyped = (text: string): string => text.replaceAll(/\r?\n/gu, '\r\n');

describe('T-OUT-02 sanitization removes terminal controls', () => {
  it.each(ATTACKS)('%s', (_, attack, kept) => {
    const { text, removed } = sanitize(`<${attack}>`);
    expect(text).toBe(`<${kept}>`);
    expect(removed).toBe(attack.length - (kept.length - (attack === 'harmless\rrm -rf' ? 1 : 0)));
  });

  it('gives the same whatever the pieces, for each attack cut at every place', () => {
    for (const [name, attack, kept] of ATTACKS) {
      const whole = `<${attack}>`;
      for (let cut = 0; cut <= whole.length; cut += 1) {
        const sanitizer = createSanitizer();
        const text = sanitizer.push(whole.slice(0, cut)) + sanitizer.push(whole.slice(cut)) + sanitizer.end();
        expect(text, `${name} cut at ${cut}`).toBe(`<${kept}>`);
        expect(sanitizer.removed, `${name} cut at ${cut}`).toBe(sanitize(whole).removed);
      }
    }
  });

  it('gives the same for every byte alone, UTF-8 included', () => {
    const whole = ATTACKS.map(([, attack]) => `é<${attack}>🎈`).join('');
    const sanitizer = createByteSanitizer();
    let text = '';
    for (const byte of Buffer.from(whole)) text += sanitizer.push(Uint8Array.of(byte));
    text += sanitizer.end();
    expect(text).toBe(sanitize(whole).text);
    expect(sanitizer.removed).toBe(sanitize(whole).removed);
  });

  it('leaves a real terminal with text and nothing else, whole and cut at every byte', async () => {
    const terminal = openTerminal();
    const before = terminal.modes();
    for (const [name, attack, kept] of ATTACKS) {
      const bytes = Buffer.from(`<${attack}>\n`);
      for (let cut = 0; cut <= bytes.length; cut += 1) {
        const sanitizer = createByteSanitizer();
        const pieces = [sanitizer.push(bytes.subarray(0, cut)), sanitizer.push(bytes.subarray(cut)), sanitizer.end()];
        expect(pieces.join(''), name).not.toMatch(CONTROL_LEFT);
        for (const piece of pieces) await terminal.write(asTyped(piece));
        expect(pieces.join(''), `${name} cut at ${cut}`).toBe(`<${kept}>\n`);
      }
      expect(terminal.effects, name).toEqual([]);
    }
    expect(terminal.modes()).toBe(before);
    expect(terminal.screen()).toContain('<text>');
    terminal.dispose();
  });

  it('proves that the terminal would have noticed', async () => {
    const terminal = openTerminal();
    for (const attack of [`${ESC}[6n`, `${ESC}]0;t\u{7}`, `${ESC}[?1049h`, `${ESC}]52;c;eA==\u{7}`, '\u{7}']) {
      const before = terminal.effects.length;
      await terminal.write(attack);
      expect(terminal.effects.length).toBeGreaterThan(before);
    }
    terminal.dispose();
  });

  it('has no effect left for anything that controls and letters can spell', async () => {
    const terminal = openTerminal();
    const before = terminal.modes();
    const unit = fc.constantFrom(
      ...Array.from(
        `${ESC}${ESC}[]P_^X\\?;:0123456789$!"' #()=>mhlcnrtqpJKHABCD\u{7}\u{8}\n\r\t\u{18}\u{1a}\u{90}\u{9b}\u{9c}\u{9d}\u{85}é🎈`,
      ),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(unit, { maxLength: 60 }), fc.nat({ max: 60 }), async (units, at) => {
        const attack = units.join('');
        const { text, removed } = sanitize(attack);
        expect(text).not.toMatch(CONTROL_LEFT);
        expect(text).not.toMatch(/\r(?!\n)/u);
        expect(text.length).toBeLessThanOrEqual(attack.length);
        expect(removed).toBeGreaterThanOrEqual(attack.length - text.length);
        const pieces = createSanitizer();
        expect(pieces.push(attack.slice(0, at)) + pieces.push(attack.slice(at)) + pieces.end()).toBe(text);
        await terminal.write(asTyped(text));
        expect(terminal.effects).toEqual([]);
      }),
      { numRuns: 500 },
    );
    expect(terminal.modes()).toBe(before);
    terminal.dispose();
  });

  it('keeps every other text to the letter', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 200 }), (text) => {
        const plain = text.replaceAll(/[^\P{Cc}\n\t]/gu, '');
        expect(sanitize(plain)).toEqual({ text: plain, removed: 0 });
      }),
    );
    expect(sanitize('a\r\nb\tc\n').text).toBe('a\r\nb\tc\n');
    expect(sanitize('a\r\nb\tc\n').removed).toBe(0);
  });

  it.each([
    ['OSC', `${ESC}]0;`],
    ['DCS', `${ESC}P`],
    ['APC', '\u{9f}'],
    ['CSI', `${ESC}[`],
  ])('bounds what it holds of an endless %s, and hides nothing behind it', (_, introducer) => {
    const sanitizer = createSanitizer();
    sanitizer.push(introducer);
    let longest = 0;
    let given = 0;
    for (let piece = 0; piece < 1000; piece += 1) {
      given += sanitizer.push('1'.repeat(1000)).length;
      longest = Math.max(longest, (piece + 1) * 1000 - given);
    }
    expect(longest).toBeLessThanOrEqual(MAX_SEQUENCE);
    expect(given + sanitizer.end().length).toBeGreaterThanOrEqual(1_000_000);
  });

  it('gives back the text of a sequence that never ends', () => {
    expect(sanitize(`before${ESC}]0;rm -rf /\nafter`).text).toBe('before0;rm -rf /\nafter');
  });

  it('neutralizes C1 controls that come as lone bytes', () => {
    const sanitizer = createByteSanitizer();
    const text = sanitizer.push(Uint8Array.of(0x61, 0x9b, 0x33, 0x31, 0x6d, 0x62)) + sanitizer.end();
    expect(text).toBe('a\u{fffd}31mb');
  });
});
