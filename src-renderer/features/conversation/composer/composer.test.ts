import { expect, it } from 'vitest';
import { withWord, wordAt } from './typed-word.js';
import { type Picture, withPictures } from './pictures.js';
import { isEmpty, joined, NOTHING_WRITTEN } from './unsent.js';

it('“@” begins a file or a resource where a word could begin, “/” a prompt at the very beginning', () => {
  expect(wordAt('see @src/a', 10)).toEqual({ mark: '@', from: 4, query: 'src/a' });
  expect(wordAt('@', 1)).toEqual({ mark: '@', from: 0, query: '' });
  expect(wordAt('line\n@re', 8)).toEqual({ mark: '@', from: 5, query: 're' });
  expect(wordAt('see @src/a more', 10)).toEqual({ mark: '@', from: 4, query: 'src/a' });
  expect(wordAt('/rev', 4)).toEqual({ mark: '/', from: 0, query: 'rev' });
  for (const [text, at] of [
    ['me@example.com', 14],
    ['see @src/a more', 15],
    ['see', 3],
    ['@@', 2],
    ['/usr/bin', 8],
    ['see /rev', 8],
    ['/tool call-1', 12],
  ] as const)
    expect(wordAt(text, at), text).toBeNull();
});

it('what was chosen takes the place of what was typed, and typing goes on after it', () => {
  const word = { from: 4, query: 'sr' };
  expect(withWord('see @sr', word, '@src/a.ts')).toEqual({ text: 'see @src/a.ts ', caret: 14 });
  expect(withWord('see @sr and', word, '@a b.ts')).toEqual({ text: 'see @a b.ts and', caret: 11 });
});

it('what was not sent stands before what was typed since', () => {
  const picture: Picture = { mediaType: 'image/png', base64: 'AAAA' };
  expect(
    joined({ text: 'first', files: ['a'], pictures: [picture] }, { text: 'then', files: ['a', 'b'], pictures: [] }),
  ).toEqual({ text: 'first\n\nthen', files: ['a', 'b'], pictures: [picture], resources: [] });
  expect(joined(NOTHING_WRITTEN, { ...NOTHING_WRITTEN, text: 'x' }).text).toBe('x');
  expect(isEmpty(NOTHING_WRITTEN)).toBe(true);
  expect(isEmpty({ ...NOTHING_WRITTEN, files: ['a'] })).toBe(false);
});

it('pictures that can’t be sent are refused with what to do', () => {
  const picture = (size: number): Picture => ({ mediaType: 'image/png', base64: 'A'.repeat(size) });
  expect(withPictures([], [picture(10)])).toEqual({ pictures: [picture(10)] });
  expect(withPictures([], [picture(5_000_001)])).toHaveProperty('problem');
  expect(withPictures([picture(4_000_000)], [picture(4_000_000)])).toHaveProperty('problem');
  expect(
    withPictures(
      Array.from({ length: 10 }, () => picture(1)),
      [picture(1)],
    ),
  ).toHaveProperty('problem');
});
