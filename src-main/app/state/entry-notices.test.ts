import { expect, it } from 'vitest';
import { defaultConfig } from '../../tests/gate/default-config.test-support.js';
import { entryNotices } from './entry-notices.js';

const known = {
  tools: [
    { name: 'read_file', id: 'gatehouse.read_file', version: '1.0.0' },
    { name: 'far__dump_all_af882c', id: 'far.dump_all', version: '1.2.0' },
  ],
  unknownGroups: ['off'],
};
const told = (...denylist: readonly string[]) =>
  entryNotices(defaultConfig({ approval: { denylist: [...denylist] } }), known).map(({ text }) => text);

it('a setting for a tool that there is none of is told, and one that means something is not', () => {
  expect(told('read_file', 'far__dump_all', 'far.dump_all', 'far.*', 'far.dump_all@1.2.0', 'off__x', 'off.*')).toEqual(
    [],
  );
  expect(told('raed_file', 'far.other', 'off2.x', 'read_file')).toEqual([
    expect.stringContaining('There is no tool “raed_file”, “far.other”, “off2.x”. '),
  ]);
});
