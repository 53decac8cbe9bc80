import { expect, it } from 'vitest';
import type { SourceView } from '#contract/window/tools/sources.js';
import type { ToolView } from '#contract/window/tools/tools.js';
import { groupTools, buildToolRows } from './tool-rows.js';

const tool = (id: string, description = ''): ToolView => ({ id, name: id, title: id, description }) as ToolView;
const sources = [{ name: 'github' }, { name: 'empty' }] as SourceView[];
const many = Array.from({ length: 30 }, (_, at) => tool(`github.tool_${at}`, at === 7 ? 'Creates an issue' : ''));
const groups = groupTools([tool('gatehouse.read_file'), ...many], sources);
const rows = (query: string, turned: readonly string[] = [], close: readonly string[] = []) =>
  buildToolRows(groups, { query, turned: new Set(turned), close });

it('puts the built-in tools first, and each source with its own', () => {
  expect(groups.map(({ source, tools }) => [source, tools.length])).toEqual([
    [null, 1],
    ['empty', 0],
    ['github', 30],
  ]);
});

it('folds what is long until it is asked for', () => {
  expect(rows('')).toHaveLength(3);
  expect(rows('', ['github'])).toHaveLength(33);
  expect(rows('', ['empty'])[1]).toMatchObject({ source: 'empty', folded: true });
});

it('finds a tool by all of the words, wherever its source is folded', () => {
  expect(rows('issue GITHUB')).toEqual([
    { kind: 'group', source: 'github', count: 1, folded: false },
    { kind: 'tool', tool: many[7] },
  ]);
  expect(rows('nothing of that kind')).toEqual([]);
});

it('puts what only means something like the words below, and nothing twice', () => {
  const close = ['github.tool_3', 'github.tool_7', 'gone.tool', 'github.tool_3'];
  expect(rows('issue', [], close).slice(2)).toEqual([{ kind: 'close' }, { kind: 'tool', tool: many[3] }]);
  expect(rows('', [], close)).toEqual(rows(''));
});
