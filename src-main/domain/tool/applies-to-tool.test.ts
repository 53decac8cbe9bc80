import { expect, it } from 'vitest';
import { appliesToTool, matchesEntry } from './tool-identity.js';

const dump = { name: 'far__dump_all_af882c', id: 'far.dump_all', version: '1.0.0' };
const alike = { name: 'far__Dump_All_0c11de', id: 'far.Dump_All', version: '1.0.0' };
const second = { name: 'far__dump_all_123abc', id: 'far.dump_all_123abc', version: '1.0.0' };
const other = { name: 'far__dump', id: 'far.dump', version: '1.0.0' };

it('what tightens holds for a tool by the name that it would have, whatever the source adds beside it', () => {
  for (const entry of ['far__dump_all', 'far.dump_all', 'FAR__DUMP_ALL'])
    expect(
      [dump, alike, second].map((tool) => appliesToTool(entry, tool)),
      entry,
    ).toEqual([true, true, true]);
  expect(appliesToTool('far__dump_all', other)).toBe(false);
  expect(appliesToTool('far.dump_all@2.0.0', dump)).toBe(false);
  // A yes means the very tool.
  expect([dump, alike, second].map((tool) => matchesEntry('far__dump_all', tool))).toEqual([false, false, false]);
});

it('and for ours by their own names alone', () => {
  const ours = { name: 'read_file', id: 'gatehouse.read_file', version: '1.0.0' };
  expect([appliesToTool('read_file', ours), appliesToTool('gatehouse__read_file', ours)]).toEqual([true, false]);
});
