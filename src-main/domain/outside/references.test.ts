import { expect, test } from 'vitest';
import { readSettingValue } from './references.js';

test('A value is plain, or a reference with what stands before it', () => {
  expect(readSettingValue('Bearer secret:github')).toEqual({
    kind: 'reference',
    prefix: 'Bearer ',
    from: 'secret:github',
    name: 'github',
  });
  expect(readSettingValue('env:API_KEY')).toMatchObject({ prefix: '', from: 'env:API_KEY', name: 'API_KEY' });
  expect(readSettingValue('application/json')).toEqual({ kind: 'plain', value: 'application/json' });
  expect(readSettingValue('')).toEqual({ kind: 'plain', value: '' });
  // A word that ends so is no reference.
  expect(readSettingValue('mysecret:x')).toEqual({ kind: 'plain', value: 'mysecret:x' });
});

test.each([
  'secret:',
  'Bearer secret:',
  'secret:a b',
  'env:X,env:Y',
  'Bearer secret:a secret:b c',
  'secret:a secret:b',
])('%j is neither: its name must not go out', (value) => expect(readSettingValue(value)).toBeNull());
