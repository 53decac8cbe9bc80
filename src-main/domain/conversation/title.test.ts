import { expect, it } from 'vitest';
import { makeSummary, makeTitle } from './title.js';

const text = (words: string) => ({ kind: 'text', text: words }) as const;

it.each([
  ['Why does the build fail?\nIt says nothing.', 'Why does the build fail?'],
  ['\n\n  ## Heading of it', 'Heading of it'],
  ['- [ ] first\n- second', '[ ] first'],
  ['> quoted', 'quoted'],
  ['```ts\nconst a = 1;\n```', 'const a = 1;'],
  ['1. one thing', 'one thing'],
  ['#hashtag stays', '#hashtag stays'],
  ['a'.repeat(200), `${'a'.repeat(60)}…`],
  [
    'Please look through all of the tests and say which of them can’t fail at all',
    'Please look through all of the tests and say which of them…',
  ],
  ['🇩🇪'.repeat(45), '🇩🇪'.repeat(45)],
  ['é'.repeat(70), `${'é'.repeat(60)}…`],
])('a conversation that begins with %j is called %j', (words, title) => {
  expect(makeTitle([text(words)])).toBe(title);
});

it('is called by what was attached where nothing was said', () => {
  expect(makeTitle([text(' '), { kind: 'file', path: 'src/a.ts', text: '' }])).toBe('src/a.ts');
  expect(makeTitle([{ kind: 'picture', mediaType: 'image/png', base64: '' }])).toBe('Picture');
  expect(makeTitle([text('\n')])).toBe('');
});

it('shows what hides in it', () => {
  expect(makeTitle([text('safe\u202Etxt.exe')])).not.toContain('\u202E');
});

it.each([
  ['**Done.** The build is green.\nMore.', '**Done.** The build is green.'],
  ['\n\n## What I found', 'What I found'],
  ['', ''],
  ['word '.repeat(100), `${'word '.repeat(24).trimEnd()}…`],
])('one where %j was said last has got to %j', (last, summary) => {
  expect(makeSummary(last)).toBe(summary);
});
