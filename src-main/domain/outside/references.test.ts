import { expect, test } from 'vitest';
import { parseSettingValue } from './references.js';

test('A value is plain, or a reference with what stands before it', () => {
  expect(parseSettingValue('Bearer secret:github')).toEqual({
    kind: 'reference',
    prefix: 'Bearer ',
    from: 'secret:github',
    name: 'github',
  });
  expect(parseSettingValue('env:API_KEY')).toMatchObject({ prefix: '', from: 'env:API_KEY', name: 'API_KEY' });
  expect(parseSettingValue('application/json')).toEqual({ kind: 'plain', value: 'application/json' });
  expect(parseSettingValue('')).toEqual({ kind: 'plain', value: '' });
  // A word that ends so is no reference.
  expect(parseSettingValue('mysecret:x')).toEqual({ kind: 'plain', value: 'mysecret:x' });
});

test.each([
  'secret:',
  'Bearer secret:',
  'secret:a b',
  'env:X,env:Y',
  'Bearer secret:a secret:b c',
  'secret:a secret:b',
])('%j is neither: its name must not go out', (value) => expect(parseSettingValue(value)).toBeNull());
