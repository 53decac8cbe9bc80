import { expect, it } from 'vitest';
import { partsOf, typedResult } from './sending.js';

const PNG = Buffer.from('\x89PNG\r\n\x1a\n....', 'latin1').toString('base64');
const parts = (unsent: Partial<Parameters<typeof partsOf>[0]>) =>
  partsOf({ text: '', files: [], pictures: [], ...unsent }, {} as never, NOTHING_TO_READ);

const NOTHING_TO_READ = {
  findsSecrets: async () => false,
  takesPictures: true,
  shelves: { read: () => Promise.reject(new Error('nothing is read')) },
};

it('a message is its pictures and its words; nothing is no message', async () => {
  await expect(parts({ text: 'look', pictures: [{ mediaType: 'image/png', base64: PNG }] })).resolves.toEqual([
    { kind: 'picture', mediaType: 'image/png', base64: PNG },
    { kind: 'text', text: 'look' },
  ]);
  await expect(parts({ text: ' \n' })).resolves.toBe('Write a message first.');
});

it.each([
  ['image/jpeg', PNG],
  ['image/png', 'AAAA'],
  ['image/png', `${PNG}!`],
  ['image/png', `data:image/png;base64,${PNG}`],
] as const)('what is no such picture is told: %s', async (mediaType, base64) => {
  await expect(parts({ text: 'x', pictures: [{ mediaType, base64 }] })).resolves.toContain('Picture 1');
});

it.each([
  ['/tool abc it worked', { callId: 'abc', result: 'it worked' }],
  ['/tool abc\n two\nlines', { callId: 'abc', result: ' two\nlines' }],
  ['/tool abc', { callId: 'abc', result: '' }],
  ['/tools abc', null],
  ['/tool', null],
  ['so /tool abc x', null],
])('a typed result: %j', (text, expected) => {
  expect(typedResult(text)).toEqual(expected);
});
