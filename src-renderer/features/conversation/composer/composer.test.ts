import { expect, it } from 'vitest';
import { replaceTypedWord, findTypedWord } from './typed-word.js';
import { type AttachedPicture, appendPictures } from './pictures.js';
import { isEmpty, joinUnsent, EMPTY_DRAFT } from './unsent.js';

it('“@” begins a file or a resource where a word could begin, “/” a prompt at the very beginning', () => {
  expect(findTypedWord('see @src/a', 10)).toEqual({ mark: '@', from: 4, query: 'src/a' });
  expect(findTypedWord('@', 1)).toEqual({ mark: '@', from: 0, query: '' });
  expect(findTypedWord('line\n@re', 8)).toEqual({ mark: '@', from: 5, query: 're' });
  expect(findTypedWord('see @src/a more', 10)).toEqual({ mark: '@', from: 4, query: 'src/a' });
  expect(findTypedWord('/rev', 4)).toEqual({ mark: '/', from: 0, query: 'rev' });
  for (const [text, at] of [
    ['me@example.com', 14],
    ['see @src/a more', 15],
    ['see', 3],
    ['@@', 2],
    ['/usr/bin', 8],
    ['see /rev', 8],
    ['/tool call-1', 12],
  ] as const)
    expect(findTypedWord(text, at), text).toBeNull();
});

it('what was chosen takes the place of what was typed, and typing goes on after it', () => {
  const word = { from: 4, query: 'sr' };
  expect(replaceTypedWord('see @sr', word, '@src/a.ts')).toEqual({ text: 'see @src/a.ts ', caret: 14 });
  expect(replaceTypedWord('see @sr and', word, '@a b.ts')).toEqual({ text: 'see @a b.ts and', caret: 11 });
});

it('what was not sent stands before what was typed since', () => {
  const picture: AttachedPicture = { mediaType: 'image/png', base64: 'AAAA' };
  expect(
    joinUnsent({ text: 'first', files: ['a'], pictures: [picture] }, { text: 'then', files: ['a', 'b'], pictures: [] }),
  ).toEqual({ text: 'first\n\nthen', files: ['a', 'b'], pictures: [picture], resources: [] });
  expect(joinUnsent(EMPTY_DRAFT, { ...EMPTY_DRAFT, text: 'x' }).text).toBe('x');
  expect(isEmpty(EMPTY_DRAFT)).toBe(true);
  expect(isEmpty({ ...EMPTY_DRAFT, files: ['a'] })).toBe(false);
});

it('pictures that can’t be sent are refused with what to do', () => {
  const picture = (size: number): AttachedPicture => ({ mediaType: 'image/png', base64: 'A'.repeat(size) });
  expect(appendPictures([], [picture(10)])).toEqual({ pictures: [picture(10)] });
  expect(appendPictures([], [picture(5_000_001)])).toHaveProperty('problem');
  expect(appendPictures([picture(4_000_000)], [picture(4_000_000)])).toHaveProperty('problem');
  expect(
    appendPictures(
      Array.from({ length: 10 }, () => picture(1)),
      [picture(1)],
    ),
  ).toHaveProperty('problem');
});
