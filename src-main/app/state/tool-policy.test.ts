import { expect, it } from 'vitest';
import { defaultConfig } from '../../tests/gate/default-config.test-support.js';
import { noteTool } from '../../tools/builtin/tools.test-support.js';
import { ToolRegistry } from '../../tools/registry/registry.js';
import { toolViews } from '../tool-views.js';
import { policyChanges } from './tool-policy.js';

const registry = new ToolRegistry();
registry.register(noteTool({ name: 'write_it', sideEffecting: true }));

const changed = (lists: { allowlist?: string[]; denylist?: string[] }, policy: 'allow' | 'ask' | 'deny') =>
  Object.fromEntries(
    policyChanges(
      registry,
      defaultConfig({ approval: { allowlist: [], denylist: [], ...lists } }).tools.approval,
      'write_it',
      policy,
    ),
  );

it('a change of policy takes a tool off a list by whichever of its names stands there', () => {
  for (const entry of ['write_it', 'test.write_it', 'test.write_it@1.0.0']) {
    expect(changed({ denylist: [entry, 'other'] }, 'allow')).toEqual({
      'tools.approval.allowlist': ['write_it'],
      'tools.approval.denylist': ['other'],
    });
    expect(changed({ allowlist: [entry] }, 'ask')).toEqual({ 'tools.approval.allowlist': [] });
  }
});

it('a change of policy leaves an entry that means other tools too, and the tool names the entry that decides', () => {
  expect(changed({ denylist: ['test.*'] }, 'allow')).toEqual({ 'tools.approval.allowlist': ['write_it'] });
  const config = defaultConfig({ approval: { allowlist: ['write_it'], denylist: ['test.*'] } });
  expect(toolViews(registry, config)).toMatchObject([
    { id: 'test.write_it', policy: 'deny', policyReason: expect.stringContaining('write_it (as test.*)') },
  ]);
});

it('“Ask” is offered where it makes the tool ask, and nowhere else', () => {
  const tools = new ToolRegistry();
  tools.register(noteTool({ name: 'write_it', sideEffecting: true }));
  tools.register(noteTool({ name: 'read_it' }));
  const canAsk = (approval: object): unknown =>
    toolViews(tools, defaultConfig({ approval: { allowlist: [], denylist: [], ...approval } })).map((tool) => [
      tool.name,
      tool.policy,
      tool.canAsk,
    ]);
  expect(canAsk({ prompt_side_effects: true })).toEqual([
    ['read_it', 'allow', false],
    ['write_it', 'ask', true],
  ]);
  expect(canAsk({ prompt_side_effects: true, allowlist: ['write_it'], denylist: ['read_it'] })).toEqual([
    ['read_it', 'deny', false],
    ['write_it', 'allow', true],
  ]);
  expect(canAsk({ prompt_side_effects: false })).toEqual([
    ['read_it', 'allow', false],
    ['write_it', 'allow', false],
  ]);
});
