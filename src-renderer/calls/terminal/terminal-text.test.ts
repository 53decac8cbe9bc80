import { Terminal } from '@xterm/headless';
import { expect, it } from 'vitest';
import { terminalText } from './terminal-text.js';

const write = (terminal: Terminal, text: string): Promise<void> =>
  new Promise((resolve) => terminal.write(text, () => resolve()));

it('tells stderr by slant and colour, on a real terminal', async () => {
  const terminal = new Terminal({ cols: 40, rows: 5, allowProposedApi: true });
  await write(
    terminal,
    terminalText([
      { stream: 'stdout', text: 'out ' },
      { stream: 'stderr', text: 'err' },
      { stream: 'stderr', text: '\n' },
      { stream: 'stdout', text: 'next' },
    ]),
  );
  const line = terminal.buffer.active.getLine(0);
  expect(line?.translateToString(true)).toBe('out err');
  expect(line?.getCell(0)?.isFgDefault()).toBe(true);
  expect(line?.getCell(4)?.getFgColor()).toBe(9);
  expect(line?.getCell(4)?.isItalic()).toBeTruthy();
  expect(terminal.buffer.active.getLine(1)?.translateToString(true)).toBe('next');
});

it('lets no sequence through that the text may still hold', async () => {
  const terminal = new Terminal({ cols: 80, rows: 5, allowProposedApi: true });
  const titles: string[] = [];
  terminal.onTitleChange((title) => titles.push(title));
  await write(
    terminal,
    terminalText([{ stream: 'stdout', text: 'keep\u001b[2J\u001b[H\u001b]0;gone\u0007\rover\u009b31m' }]),
  );
  expect(terminal.buffer.active.getLine(0)?.translateToString(true)).toBe(
    'keep\\u{001b}[2J\\u{001b}[H\\u{001b}]0;gone\\u{0007}\\rover\\u{009b}31m',
  );
  expect(titles).toEqual([]);
});
