import { expect, test } from 'vitest';
import { redactText } from '../../domain/text/redact.js';
import type { Released } from '../../domain/text/redacting-stream.js';
import { StoredBytes } from './stored-bytes.js';

const clean = (text: string): Released => ({ length: text.length, text, count: 0, clean: true });
const blotted = (length: number, text: string): Released => ({ length, text, count: 1, clean: false });

const finds = (bytes: Uint8Array): Promise<boolean> =>
  Promise.resolve(redactText(Buffer.from(bytes).toString()).count > 0);

test('Bytes stay as they came, however their text is given out', async () => {
  const stored = new StoredBytes(finds);
  await stored.took(Buffer.from('\u{1b}[31mone\u{1b}[0m\n'), 4);
  await stored.took(Buffer.from('two\r\n'), 5);
  expect(stored.gave(clean('on')).toString()).toBe('');
  expect(stored.gave(clean('e\ntwo\r')).toString()).toBe('\u{1b}[31mone\u{1b}[0m\n');
  expect(stored.gave(clean('\n')).toString()).toBe('two\r\n');
});

test('Where something was blotted out, it is the text that is kept, over several pieces too', async () => {
  const stored = new StoredBytes(finds);
  for (const text of ['fine\n', 'a=sec', 'ret\n', 'fine\n']) await stored.took(Buffer.from(text), text.length);
  expect(stored.gave(clean('fine\n')).toString()).toBe('fine\n');
  expect(stored.gave(blotted(9, 'a=[redacted]\n')).toString()).toBe('a=[redacted]\n');
  expect(stored.gave(clean('fine\n')).toString()).toBe('fine\n');
});

test('What a terminal would not show is looked at too, and is kept where it holds nothing', async () => {
  const stored = new StoredBytes(finds);
  await stored.took(Buffer.from('x\u{1b}]0;password=hun'), 1);
  await stored.took(Buffer.from('ter2\u{7}y\n'), 2);
  await stored.took(Buffer.from('\u{1b}[1mz\u{1b}[0m\n'), 2);
  await stored.took(Buffer.from('\u{1b}]0;a title\u{7}w\n'), 2);
  const rest = '\u{1b}[1mz\u{1b}[0m\n\u{1b}]0;a title\u{7}w\n';
  expect(stored.gave(clean('xy\nz\nw\n')).toString()).toBe(`xy\n${rest}`);
});
