import { describe, expect, it } from 'vitest';
import { defaultConfig } from './default-config.test-support.js';
import { codes, openTestGate } from './gate.test-support.js';
import { call, ran, reads, writes } from './gate-tools.test-support.js';

const asAgent = { door: 'mcp', client: 'agent 1', agent: 'one' } as const;

describe('each door has its set of tools, on the whole gate', () => {
  it('what is the person’s own is unknown to an agent in auto mode, confirmed and remembered, and runs for the person', async () => {
    ran.length = 0;
    const gate = await openTestGate({
      tools: [],
      personsOwn: [writes()],
      config: defaultConfig({ approval: { mode: 'auto', allowlist: ['writes'], confirmed: [{ tool: 'writes' }] } }),
    });
    const asked = gate.submit([call('writes'), call('nobody')], asAgent);
    const [own, nobody] = await asked.settled;
    expect(codes(await asked.settled)).toEqual(['UnknownTool', 'UnknownTool']);
    // Nothing in the answer, nor in the record, tells it from a name that nothing has.
    expect(own?.failure?.message.replace('writes', 'nobody')).toBe(nobody?.failure?.message);
    expect(own?.summary).toMatchObject({ state: nobody?.summary.state, risk: null });
    expect(gate.gate.listAdvertised(gate.workspace)).toEqual([]);
    expect(ran).toEqual([]);
    expect(codes(await gate.run(call('writes')))).toEqual([null]);
    expect(ran).toEqual(['writes:x']);
  });

  it('what waited when the app stopped is asked again only where its door still has the tool', async () => {
    ran.length = 0;
    const before = await openTestGate({ tools: [writes()] });
    const agents = before.submit([call('writes', 'agent')], asAgent);
    const persons = before.submit([call('writes', 'person')], { sessionId: 'other' });
    await before.sheet(agents);
    await before.sheet(persons);
    await before.close();

    const after = await openTestGate({
      tools: [],
      personsOwn: [writes()],
      dataDir: before.dataDir,
      workspace: before.workspace,
    });
    await expect.poll(() => after.sheets().map(({ door, calls }) => [door, calls.length])).toEqual([['compose', 1]]);
    await after.decide(persons, { kind: 'approve-all' });
    await expect.poll(() => ran).toEqual(['writes:person']);
    await expect.poll(() => after.orchestrator.activity).toEqual({ waiting: 0, running: 0 });
  });

  it('lists nothing that the denylist denies, and says so when it is called all the same', async () => {
    const config = defaultConfig({ approval: { denylist: ['writes'] } });
    const gate = await openTestGate({ tools: [reads(), writes()], config });
    expect(gate.gate.listAdvertised(gate.workspace).map(({ name }) => name)).toEqual(['reads']);
    expect(codes(await gate.submit([call('writes')], asAgent).settled)).toEqual(['Denylisted']);
    gate.config = defaultConfig();
    await gate.configChanged();
    expect(gate.gate.listAdvertised(gate.workspace).map(({ name }) => name)).toEqual(['reads', 'writes']);
  });
});
