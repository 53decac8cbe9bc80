import { expect, it } from 'vitest';
import { compareVersions, isToolId, isVersion, matchesEntry, matchesOnly } from './tool-identity.js';

const tool = { name: 'create_issue', id: 'github.issues.create', version: '2.1.0' };

it.each([
  ['create_issue', true],
  ['github.issues.create', true],
  ['github.issues.create@2.1.0', true],
  ['github.*', true],
  ['github.issues.*', true],
  ['github.issues.create@2.1.1', false],
  ['github.issues.create@2', false],
  ['github.issues.create@', false],
  ['github.issues', false],
  ['github', false],
  ['githu.*', false],
  ['github.issues.create.*', false],
  ['*', false],
  ['.*', false],
  ['Create_Issue', false],
  ['', false],
])('the entry “%s” means it: %s', (entry, expected) => {
  expect(matchesEntry(entry, tool)).toBe(expected);
});

it('means a name that no tool has by that name alone', () => {
  const unknown = { name: 'a.b', id: null, version: null };
  expect(matchesEntry('a.b', unknown)).toBe(true);
  expect(matchesEntry('a.*', unknown)).toBe(false);
});

it('tells what means this tool alone from what means others too', () => {
  expect(matchesOnly('github.issues.create@2.1.0', tool)).toBe(true);
  expect(matchesOnly('github.*', tool)).toBe(false);
  expect(matchesOnly('other', tool)).toBe(false);
});

it('knows ids and versions', () => {
  expect(['gatehouse.read_file', 'a.b.c', `a.${'x'.repeat(126)}`].every(isToolId)).toBe(true);
  expect(['read_file', 'a.', '.a', 'a..b', 'a.b c', 'ä.b', `a.${'x'.repeat(127)}`, ''].some(isToolId)).toBe(false);
  expect(['0.0.0', '1.20.3'].every(isVersion)).toBe(true);
  expect(['1.0', '01.0.0', '1.0.0-rc.1', '1.0.0+b', 'v1.0.0', '1.0.0\n', ''].some(isVersion)).toBe(false);
});

it('sorts versions by number', () => {
  const sorted = ['1.10.0', '1.9.9', '10.0.0', '9.0.0', '99999999999999999998.0.0', '99999999999999999999.0.0'];
  expect(sorted.toReversed().sort(compareVersions)).toEqual([
    '1.9.9',
    '1.10.0',
    '9.0.0',
    '10.0.0',
    '99999999999999999998.0.0',
    '99999999999999999999.0.0',
  ]);
  expect(compareVersions('1.2.3', '1.2.3')).toBe(0);
});
