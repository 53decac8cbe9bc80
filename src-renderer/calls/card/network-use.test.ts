import { expect, test } from 'vitest';
import { networkUseOf } from './network-use.js';

test('what was asked of the network is taken as it is', () => {
  const network = { reached: ['example.com:443'], refused: ['example.org:80'] };
  expect(networkUseOf({ exitCode: 0, network })).toEqual(network);
});

test.each([[null], [{}], [{ network: 'x' }], [{ network: [] }], [{ network: { reached: [], refused: [] } }]])(
  '%j says nothing of it',
  (structured) => {
    expect(networkUseOf(structured)).toBeNull();
  },
);

test('a tool that means something else by the word does no harm', () => {
  expect(networkUseOf({ network: { reached: 'all', refused: ['a:1', 2, null] } })).toEqual({
    reached: [],
    refused: ['a:1'],
  });
});
