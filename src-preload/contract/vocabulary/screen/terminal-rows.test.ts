import xterm from '@xterm/headless';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { measureCell } from './cell-width.js';
import { TerminalRows, type OutputRow } from './terminal-rows.js';
import { splitStyle } from './text-style.js';

const ESC = '\u{1b}';
// oxlint-disable-next-line no-control-regex -- what is drawn by
const SEQUENCES = /\u{1b}\[[0-9;]*[mK]/gu;

function drawn(text: string, columns?: number) {
  const rows = new TerminalRows(columns);
  const all = [...rows.push(text), rows.current()];
  return { text: all.map((row) => row.text).join(''), drawnOver: rows.drawnOver, rows: all };
}

/**
 * Reads a row as columns, without differences of spelling only: tabs are blanks here, and blanks at the end of a row
 * are not seen.
 */
function columnsOf({ text }: OutputRow, columns: number): string {
  let line = '';
  let column = 0;
  for (const character of text.replace(/\r?\n$/u, '')) {
    const width =
      character === '\t'
        ? Math.max(0, Math.min(8 - (column % 8), columns - 1 - column))
        : measureCell(character.codePointAt(0) ?? 0);
    line += character === '\t' ? ' '.repeat(width) : character;
    column += width;
  }
  return line.trimEnd();
}

describe('what is drawn of a row', () => {
  it.each([
    ['aaaa\rbb\n', 'bbaa\n', 2],
    ['10%\r20%\r100%\n', '100%\n', 6],
    ['Downloading 10%\rDone\n', 'Doneloading 10%\n', 4],
    [`Downloading 10%\r${ESC}[KDone\n`, 'Done\n', 15],
    [`Downloading 10%${ESC}[2K\rDone\n`, 'Done\n', 15],
    [`Downloading 10%${ESC}[2Kmore\n`, 'Downloading 10%more\n', 0],
    [`abc\rd${ESC}[K\n`, 'd\n', 3],
    ['abc\r\n', 'abc\r\n', 0],
    ['abc\r', 'abc', 0],
    ['\r\rabc', 'abc', 0],
    ['a\tb\rcc\n', 'cc      b\n', 2],
    ['a\tb\rc\n', 'c\tb\n', 1],
    ['abc\r\tx', 'abc\tx', 0],
    ['漢字\rx', 'x 字', 3],
    ['e\u{301}f\rg', 'gf', 3],
    ['é€\rab', 'ab', 5],
    ['one\ntwo\rT\nthree', 'one\nTwo\nthree', 1],
  ])('%j is %j', (given, text, drawnOver) => {
    expect(drawn(given)).toMatchObject({ text, drawnOver });
  });

  it('keeps colours with what is drawn in them', () => {
    const [row] = drawn(`${ESC}[31mred${ESC}[0m and ${ESC}[1;44mblue${ESC}[m\rR\n`).rows;
    expect(row?.text).toBe('Red and blue\n');
    const at = (position: number) => {
      const { looks = [] } = row ?? {};
      for (let run = 0; run < looks.length; run += 2)
        if ((looks[run] ?? 0) > position) return splitStyle(looks[run + 1] ?? 0);
      return null;
    };
    expect(at(0)).toMatchObject({ fore: null });
    expect(at(1)).toMatchObject({ fore: 1 });
    expect(at(3)).toMatchObject({ fore: null, back: null });
    expect(at(9)).toMatchObject({ back: 4, bold: true });
  });

  it.each([
    ['38;5;196', 9],
    ['38;2;0;200;0', 10],
    ['38:2::20:20:200', 12],
    ['38;5;240', 8],
    ['38;5;11', 11],
    ['91', 9],
    ['8', null],
    ['38;9', null],
  ])('%s is one of the sixteen colours', (parameters, fore) => {
    const [row] = drawn(`${ESC}[${parameters}mx\n`).rows;
    expect(splitStyle(row?.looks[1] ?? 0).fore).toBe(fore);
  });

  it('tells the streams apart, each in its own colour, on the same rows', () => {
    const rows = new TerminalRows();
    rows.push(`${ESC}[32ma`, 'stdout');
    rows.push('e', 'stderr');
    rows.push('b', 'stdout');
    const { text, looks } = rows.current();
    expect(text).toBe('aeb');
    expect(
      looks.filter((_, at) => at % 2 === 1).map((look) => [splitStyle(look).fore, splitStyle(look).stderr]),
    ).toEqual([
      [2, false],
      [null, true],
      [2, false],
    ]);
  });

  it('draws a character whole, wherever the text is cut, and what stays half of one at the end', () => {
    const rows = new TerminalRows(3);
    const cut = '🎈'.slice(0, 1);
    expect(rows.push(`ab${cut}`)).toEqual([]);
    expect(rows.atRowStart).toBe(false);
    expect(
      rows
        .copy()
        .push('🎈'.slice(1))
        .map(({ text }) => text),
    ).toEqual(['ab']);
    expect(rows.push('c\n', 'stderr').map(({ text }) => text)).toEqual(['abc\n']);
    rows.push('🎈'.slice(1));
    expect(rows.current().text).toBe('🎈');
    rows.push(cut);
    expect(rows.end().map(({ text }) => text)).toEqual([`🎈${cut}`]);
  });

  it('is bounded by the width, with a return to the last row of a long line', () => {
    const { rows } = drawn(`${'x'.repeat(25)}\ryy\n`, 10);
    expect(rows.map(({ text }) => text)).toEqual(['xxxxxxxxxx', 'xxxxxxxxxx', 'yyxxx\n', '']);
  });
});

const UNITS = [
  'a', 'b', ' ', 'word', 'é', '漢', '字', '🎈', 'e\u{301}', '\t', '\r', '\r', '\n', '\r\n',
  `${ESC}[K`, `${ESC}[0K`, `\r${ESC}[2K`, `${ESC}[2K\r`, `${ESC}[31m`, `${ESC}[1;42m`, `${ESC}[0m`,
]; // prettier-ignore

describe('against a real terminal', () => {
  it('each row is the same, however the text is cut', async () => {
    const columns = 12;
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.constantFrom(...UNITS), { maxLength: 60 }),
        fc.array(fc.nat({ max: 200 }), { maxLength: 6 }),
        async (units, cuts) => {
          // A mark that joins needs something on its own row to join, or terminals differ.
          const text = units.join('');
          const terminal = new xterm.Terminal({
            cols: columns,
            rows: 8,
            scrollback: 1000,
            convertEol: true,
            allowProposedApi: true,
          });
          const active = terminal.unicode;
          active.register({
            version: 'ours',
            wcwidth: measureCell,
            charProperties: (code, before) => {
              const width = measureCell(code);
              const joins = width === 0 && before !== 0;
              const wide = joins ? Math.max((before >> 1) & 3, 0) : width;
              return (wide << 1) | (joins ? 1 : 0) | (1 << 3);
            },
          });
          active.activeVersion = 'ours';
          await new Promise<void>((resolve) => terminal.write(text, resolve));
          const seen: string[] = [];
          for (let line = 0; line <= terminal.buffer.active.baseY + terminal.buffer.active.cursorY; line += 1)
            seen.push((terminal.buffer.active.getLine(line)?.translateToString(true) ?? '').trimEnd());
          terminal.dispose();
          const rows = new TerminalRows(columns);
          const all: OutputRow[] = [];
          let from = 0;
          for (const cut of cuts.toSorted((a, b) => a - b)) {
            // Sequences are given whole.
            const to =
              [...text.matchAll(SEQUENCES)].find((m) => m.index < cut && cut < m.index + m[0].length)?.index ?? cut;
            all.push(...rows.push(text.slice(from, Math.max(from, to))));
            from = Math.max(from, to);
          }
          all.push(...rows.push(text.slice(from)), rows.current());
          expect(all.map((row) => columnsOf(row, columns))).toEqual(seen);
        },
      ),
      { numRuns: 1500 },
    );
  });

  it('what is not drawn over and what is, is all that was written', () => {
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom('a', 'bc', 'é', '€', '\r', '\n', `${ESC}[K`, `${ESC}[32m`), { maxLength: 80 }),
        (units) => {
          const { text, drawnOver } = drawn(units.join(''));
          const written = units.join('').replaceAll(SEQUENCES, '').replaceAll('\r', '');
          expect(Buffer.byteLength(text.replaceAll('\r', '')) + drawnOver).toBe(Buffer.byteLength(written));
        },
      ),
    );
  });
});
