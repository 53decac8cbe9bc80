import { expect, test } from 'vitest';
import { redactText } from '../../domain/text/redact.js';
import { DrawingMarks } from '../../domain/text/drawing-marks.js';
import type { ReleasedText } from '../../domain/text/redacting-stream.js';
import { type KeptPiece, StoredBytes } from './stored-bytes.js';

/** So much text without a secret, and some with one. */
const clean = (text: string) => given({ length: text.length, whole: text, blots: [] });
const blotted = (length: number, text: string) =>
  given({ length, whole: 'x'.repeat(length), blots: [{ start: 0, end: length, mark: text }] });

const given = (released: Pick<ReleasedText, 'length' | 'whole' | 'blots'>) =>
  [{ ...released, clean: released.blots.length === 0 }, new DrawingMarks().take(released)] as const;

const kept = (pieces: readonly KeptPiece[]): string => Buffer.concat(pieces.map((piece) => piece.kept)).toString();

const finds = (bytes: Uint8Array): Promise<boolean> =>
  Promise.resolve(redactText(Buffer.from(bytes).toString()).count > 0);

test('Bytes stay as they came, however their text is given out', async () => {
  const stored = new StoredBytes(finds);
  await stored.add(Buffer.from('\u{1b}[31mone\u{1b}[0m\n'), 4, 0);
  await stored.add(Buffer.from('two\r\n'), 5, 0);
  expect(kept(stored.release(...clean('on')))).toBe('');
  expect(kept(stored.release(...clean('e\ntwo\r')))).toBe('\u{1b}[31mone\u{1b}[0m\n');
  expect(kept(stored.release(...clean('\n')))).toBe('two\r\n');
});

test('Where something was blotted out, it is the text that is kept, over several pieces too', async () => {
  const stored = new StoredBytes(finds);
  for (const text of ['fine\n', 'a=sec', 'ret\n', 'fine\n']) await stored.add(Buffer.from(text), text.length, 0);
  expect(kept(stored.release(...clean('fine\n')))).toBe('fine\n');
  expect(kept(stored.release(...blotted(9, 'a=[redacted]\n')))).toBe('a=[redacted]\n');
  expect(kept(stored.release(...clean('fine\n')))).toBe('fine\n');
});

test('What a terminal would not show is looked at too, and is kept where it holds nothing', async () => {
  const stored = new StoredBytes(finds);
  await stored.add(Buffer.from('x\u{1b}]0;password=hun'), 1, 0);
  await stored.add(Buffer.from('ter2\u{7}y\n'), 2, 0);
  await stored.add(Buffer.from('\u{1b}[1mz\u{1b}[0m\n'), 2, 0);
  await stored.add(Buffer.from('\u{1b}]0;a title\u{7}w\n'), 2, 0);
  const rest = '\u{1b}[1mz\u{1b}[0m\n\u{1b}]0;a title\u{7}w\n';
  expect(kept(stored.release(...clean('xy\nz\nw\n')))).toBe(`xy\n${rest}`);
});
