import { createHash } from 'node:crypto';
import { expect, it } from 'vitest';
import { foldName } from '../../domain/tool/tool-identity.js';
import { assignModelNames, assignOperationIds } from './model-names.js';

const mark = (text: string) => `_${createHash('sha256').update(text).digest('hex').slice(0, 6)}`;
const named = (...names: readonly (readonly [id: string, name: string])[]) =>
  Object.fromEntries(assignModelNames(names.map(([id, name]) => ({ id, name }))));

it('ids are given in the source’s order: all but the first of equal ones are marked, and what comes twice is none', () => {
  expect(assignOperationIds('s', ['get note', 'get_note', 'get-note', 'get note', 'getörn'])).toEqual([
    's.get_note',
    `s.get_note${mark('get_note')}`,
    's.get-note',
    null,
    's.get_rn',
  ]);
});

it('no id is longer than 128 characters, and long ones that differ only at the end stay apart', () => {
  const [one, other] = assignOperationIds('s', [`${'x'.repeat(200)}1`, `${'x'.repeat(200)}2`]);
  expect(one).toHaveLength(128);
  expect(one).not.toBe(other);
});

it('every name is one that models take', () => {
  const names = named(
    ['s.a', 'fine-Name_1'],
    ['s.b', 'my tool!'],
    ['s.c', 'a.b'],
    ['s.d', 'ß'],
    ['s.e', 'x'.repeat(64)],
    ['s.f', 'y'.repeat(65)],
  );
  expect(names).toEqual({
    's.a': 'fine-Name_1',
    's.b': 'my_tool_',
    's.c': 'a_b',
    's.d': '_',
    's.e': 'x'.repeat(64),
    's.f': `${'y'.repeat(57)}${mark('s.f')}`,
  });
  for (const name of Object.values(names)) expect(name).toMatch(/^[a-zA-Z0-9_-]{1,64}$/);
});

it('both of two names that would be equal are marked, whichever comes first', () => {
  const expected = {
    's.a': `a_b${mark('s.a')}`,
    's.b': `a_b${mark('s.b')}`,
    's.c': `A_b${mark('s.c')}`,
    's.d': 'other',
  };
  const wanted = [['s.a', 'a b'], ['s.b', 'a_b'], ['s.c', 'A_b'], ['s.d', 'other']] as const; // prettier-ignore
  expect(named(...wanted)).toEqual(expected);
  expect(named(...wanted.toReversed())).toEqual(expected);
});

it('a name that already looks like another’s mark is marked, too, and refused where it is still equal then', () => {
  const names = named(['s.a', 'a b'], ['s.b', 'a_b'], ['s.c', `a_b${mark('s.a')}`]);
  expect(new Set(Object.values(names)).size).toBe(3);
  expect(names['s.c']).toBe(`a_b${mark('s.a')}${mark('s.c')}`);
  const long = 'x'.repeat(57);
  expect(named(['s.a', `${long}1234567`], ['s.a', `${long}1234567`])).toEqual({ 's.a': null });
});

it('names that look alike count as one', () => {
  expect(foldName('Read\u200b_Ｆile')).toBe('read_file');
});
