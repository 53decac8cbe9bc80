import { Terminal } from '@xterm/headless';
import { expect, it } from 'vitest';
import { TerminalRows, type OutputStreamName } from '#contract/vocabulary/screen/terminal-rows.js';
import { FIRST_PAPER, MAX_LINE_LENGTH, encodeRow } from './terminal-text.js';

const ESC = '\u{1b}';

async function shown(...pieces: readonly (readonly [OutputStreamName, string])[]) {
  const drawn = new TerminalRows();
  const terminal = new Terminal({ cols: 80, rows: 60, allowProposedApi: true });
  const titles: string[] = [];
  terminal.onTitleChange((title) => titles.push(title));
  const rows = [...pieces.flatMap(([stream, text]) => drawn.push(text, stream)), drawn.current()];
  await new Promise<void>((resolve) => terminal.write(rows.map(encodeRow).join(''), resolve));
  return { line: (at: number) => terminal.buffer.active.getLine(at), titles };
}

it('tells stderr by slant and colour, on a real terminal', async () => {
  const { line } = await shown(['stdout', 'out '], ['stderr', 'err\n'], ['stdout', 'next']);
  expect(line(0)?.translateToString(true)).toBe('out err');
  expect(line(0)?.getCell(0)?.isFgDefault()).toBe(true);
  expect(line(0)?.getCell(4)?.getFgColor()).toBe(9);
  expect(line(0)?.getCell(4)?.isItalic()).toBeTruthy();
  expect(line(1)?.translateToString(true)).toBe('next');
});

it('keeps colours, and never puts a colour on a paper of its own', async () => {
  const { line } = await shown(['stdout', `${ESC}[31mred${ESC}[0m ${ESC}[1;30;41mFAIL${ESC}[0m ${ESC}[7mturned`]);
  expect(line(0)?.translateToString(true)).toBe('red FAIL turned');
  expect(line(0)?.getCell(0)?.getFgColor()).toBe(1);
  expect(line(0)?.getCell(4)?.getBgColor()).toBe(FIRST_PAPER + 1);
  expect(line(0)?.getCell(4)?.isFgDefault()).toBe(true);
  expect(line(0)?.getCell(4)?.isBold()).toBeTruthy();
  expect(line(0)?.getCell(9)?.getBgColor()).toBe(FIRST_PAPER + 7);
});

it('lets no sequence through that the text may still hold', async () => {
  const { line, titles } = await shown(['stdout', `keep${ESC}[2J${ESC}[H${ESC}]0;gone\u{7}over\u{9b}31m`]);
  expect(line(0)?.translateToString(true)).toBe('keep[2J[H]0;gone\\u{0007}over\\u{009b}31m');
  expect(titles).toEqual([]);
});

it('cuts a long line', async () => {
  const { line } = await shown(['stdout', `${'x'.repeat(5000)}\n`]);
  const rows = Array.from({ length: 40 }, (_, at) => line(at)?.translateToString(true) ?? '').join('');
  expect(rows).toBe(`${'x'.repeat(MAX_LINE_LENGTH)} … (long line)`);
});
