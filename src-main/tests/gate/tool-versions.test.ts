import { describe, expect, it } from 'vitest';
import { noteOutput, noteTool } from '../../tools/builtin/tools.test-support.js';
import { ToolRegistry } from '../../tools/registry/registry.js';
import { defaultConfig } from './default-config.test-support.js';
import { any, call, reads, writes } from './gate-tools.test-support.js';
import { codes, openTestGate } from './gate.test-support.js';

const inVersion = (version: string, sideEffecting = true) =>
  any(
    noteTool(
      { name: 'tool', version, sideEffecting },
      { execute: ({ text }) => Promise.resolve(noteOutput(`${version} ${text}`)) },
    ),
  );

function recorded(gate: Awaited<ReturnType<typeof openTestGate>>) {
  const received: unknown[] = [];
  gate.journal.onCommit((events) => {
    for (const event of events)
      if (event.type === 'call-received') received.push([event.tool, event.toolId, event.toolVersion]);
  });
  return received;
}

describe('several versions of one tool', () => {
  it('a name runs the highest, and the record says which', async () => {
    const gate = await openTestGate({ tools: ['1.9.0', '1.10.0'].map((version) => inVersion(version, false)) });
    const received = recorded(gate);
    const [settled] = await gate.run(call('tool'));
    expect(settled?.result.content).toBe('1.10.0 x');
    expect(settled?.summary).toMatchObject({ tool: 'tool', toolId: 'test.tool', version: '1.10.0' });
    expect(received).toEqual([['tool', 'test.tool', '1.10.0']]);
  });

  it('what was judged on one runs on that one, though a newer stands beside it by then', async () => {
    const registry = new ToolRegistry();
    registry.register(inVersion('1.0.0'));
    const gate = await openTestGate({ tools: [], parts: { registry } });
    const received = recorded(gate);
    const batch = gate.submit([call('tool')]);
    await gate.sheet(batch);
    registry.register(inVersion('2.0.0'));
    await gate.decide(batch, { kind: 'approve-all' });
    const [settled] = await batch.settled;
    expect(settled?.result.content).toBe('1.0.0 x');
    expect(received).toEqual([['tool', 'test.tool', '1.0.0']]);
  });

  it('a list may mean one version alone', async () => {
    const config = defaultConfig({ approval: { denylist: ['test.tool@1.0.0'] } });
    const older = await openTestGate({ tools: [inVersion('1.0.0', false)], config });
    expect(codes(await older.run(call('tool')))).toEqual(['Denylisted']);
    expect(older.gate.listAdvertised(older.workspace)).toEqual([]);
    const newer = await openTestGate({ tools: [inVersion('1.0.0', false), inVersion('2.0.0', false)], config });
    expect(codes(await newer.run(call('tool')))).toEqual([null]);
  });
});

it('a group is denied, confirmed and allowed as a whole, and a name that no tool has is in none', async () => {
  const denied = await openTestGate({
    tools: [reads(), writes()],
    config: defaultConfig({ approval: { denylist: ['test.*'] } }),
  });
  expect(codes(await denied.run(call('reads'), call('writes'), call('nobody')))).toEqual([
    'Denylisted',
    'Denylisted',
    'UnknownTool',
  ]);
  const confirmed = await openTestGate({
    tools: [writes()],
    config: defaultConfig({ approval: { confirmed: [{ tool: 'test.*' }] } }),
  });
  expect(codes(await confirmed.run(call('writes')))).toEqual([null]);
});

describe('tools of the person’s own, in parse-only mode', () => {
  const parameters = {
    $schema: 'http://json-schema.org/draft-07/schema#',
    type: 'object',
    properties: { text: { type: 'string' }, n: { type: 'integer' } },
    required: ['text', 'n'],
  };
  const definitions = [
    { name: 'look up', description: 'd', parameters },
    { name: 'broken', description: 'd', parameters: { type: 'array' } },
  ];
  const config = defaultConfig({ mode: 'parse_only', definitions });

  it('are offered by names that models can call; one that can’t be checked is unknown', async () => {
    const gate = await openTestGate({ tools: [reads()], config });
    expect(gate.gate.listAdvertised(gate.workspace).map(({ name, id }) => [name, id])).toEqual([
      ['look_up', 'tools_definitions.look_up'],
      ['reads', 'test.reads'],
    ]);
    expect(codes(await gate.run(call('look up'), call('broken')))).toEqual(['UnknownTool', 'UnknownTool']);
  });

  it('get only arguments that fit, all that is wrong is told, and the record knows them', async () => {
    const gate = await openTestGate({ tools: [reads()], config });
    const received = recorded(gate);
    const batch = gate.submit([
      { tool: 'look_up', arguments: { text: 1, n: 'x' } },
      { tool: 'look_up', arguments: { text: 'a', n: 1, more: true } },
    ]);
    await expect.poll(() => gate.orchestrator.activity.waiting).toBe(1);
    gate.orchestrator.submitResult(batch.calls[1]?.callId ?? '', 'by hand', false);
    const settled = await batch.settled;
    expect(codes(settled)).toEqual(['BadArgs', null]);
    expect(settled[0]?.failure?.message).toBe('text must be string; n must be integer');
    expect(received).toEqual([
      ['look_up', 'tools_definitions.look_up', '0.0.0'],
      ['look_up', 'tools_definitions.look_up', '0.0.0'],
    ]);
  });

  it('are denied by lists as others are', async () => {
    for (const entry of ['look_up', 'tools_definitions.look_up', 'tools_definitions.*']) {
      const approval = { denylist: [entry] };
      const gate = await openTestGate({
        tools: [],
        config: defaultConfig({ mode: 'parse_only', definitions, approval }),
      });
      expect(gate.gate.listAdvertised(gate.workspace)).toEqual([]);
      expect(codes(await gate.run({ tool: 'look_up', arguments: { text: 'a', n: 1 } }))).toEqual(['Denylisted']);
    }
  });
});
