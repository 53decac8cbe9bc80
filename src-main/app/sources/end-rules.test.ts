import { expect, it } from 'vitest';
import type { AcceptedTool } from '../../tools/sources/catalog/source-acceptance.js';
import { endRules } from './end-rules.js';

const changed = { toolId: 'src.a', operation: { version: '1.0.0' } } as AcceptedTool;

it('the rules for a tool that was accepted as another one end, which is told; others go on', async () => {
  const all = ['src__a', 'src.a', 'src.a@1.0.0', 'src.*', 'src__b', 'run_command'];
  const removed: string[] = [];
  const told: string[] = [];
  const problems = await endRules(
    [changed],
    {
      all: () => all.map((tool) => ({ id: tool, kept: 'settings', rule: { tool } })),
      remove: async (id) => {
        removed.push(id);
        return id === 'src.a' ? 'The disk is full.' : null;
      },
    },
    () => 'src__a',
    (title, text) => told.push(`${title}: ${text}`),
  );
  expect(problems).toEqual(['the rule for src.a could not be ended: The disk is full.']);
  expect(removed).toEqual(['src__a', 'src.a', 'src.a@1.0.0']);
  expect(told).toEqual([
    expect.stringContaining('A rule ended: src__a'),
    'A rule could not be ended: The disk is full.',
    expect.stringContaining('A rule ended: src.a@1.0.0'),
  ]);
});
