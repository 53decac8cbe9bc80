import { describe, expect, it } from 'vitest';
import { makeAsker } from '../../domain/call/asker.js';
import type { CallOptions } from '../../domain/call/call-options.js';
import { started } from '../../journal/writing/journal-samples.test-support.js';
import { openServiceReader } from '../../journal/writing/journal.test-support.js';
import { codes, testFolder } from './gate.test-support.js';
import { open, READ, says } from './hooks.test-support.js';

describe('hooks after a call', () => {
  const after = { when: 'after' } as const;

  it('are told of every end, and change none', async () => {
    const { gate, hooks, runs, detail } = await open();
    const script = 'r=$(sed -E \'s/.*"result":(.*)}/\\1/\' | base64 -w0); echo "$r" >&2; exit 7';
    hooks.settings = [hooks.script('log', script, after)];
    const settled = await gate.run(READ, { tool: 'none', arguments: { a: 1 } }, { tool: 'write_file', arguments: {} });
    expect(codes(settled)).toEqual([null, 'UnknownTool', 'BadArgs']);
    expect(settled[0]?.result.content).toBe('one\n');
    for (const { summary } of settled) {
      await expect.poll(async () => runs(summary.callId)).toHaveLength(1);
      const [run] = await runs(summary.callId);
      const said = run !== undefined && 'failed' in run ? (run.failed.split('said: ')[1] ?? '') : '';
      expect(JSON.parse(Buffer.from(said, 'base64').toString())).toEqual({
        outcome: summary.outcome,
        code: summary.code,
        durationMs: summary.durationMs,
      });
      const { events, state } = await detail(summary.callId);
      expect(events.at(-1)).toMatchObject({ type: 'hook', when: 'after', state });
    }
    expect(await openServiceReader(gate.dataDir).verify()).toMatchObject({ ok: true });
  });

  it('that hang keep neither the caller nor the app waiting', async () => {
    const { gate, hooks, runs } = await open();
    hooks.settings = [hooks.script('hangs', 'sleep 1000', { ...after, timeout_seconds: 300 })];
    const [read] = await gate.run(READ);
    expect(read?.result.content).toBe('one\n');
    await gate.close();
    expect(await runs(read?.summary.callId ?? '')).toMatchObject([{ failed: 'it was stopped before it was done' }]);
  });
});

describe('a call that outlives a restart', () => {
  it('is told of at the next start, where it was running when the app died', async () => {
    const place = { dataDir: testFolder('data'), workspace: testFolder('workspace') };
    const before = await open(place);
    const { journal, workspace } = before.gate;
    const asker = makeAsker('gateway', 's', { agent: 'ada' });
    journal.append([
      { type: 'batch-received', batchId: 'b', asker, workspace, mode: 'enabled' },
      ...started({ callId: 'c', batchId: 'b', tool: 'write_file' }),
    ]);
    await before.gate.close();

    const after = await open(place);
    after.hooks.settings = [after.hooks.script('log', 'exit 7', { when: 'after' })];
    after.gate.recovery.decide('resume');
    await expect
      .poll(async () => (await after.runs('c')).map(({ name, when }) => [name, when]))
      .toEqual([['log', 'after']]);
    expect(await after.detail('c')).toMatchObject({ code: 'Interrupted' });
    expect(after.gate.faults).toEqual([]);
  });

  it.each([
    ['deny', 'DENIED'],
    ['ask', 'VALIDATED'],
    ['allow', 'COMPLETED'],
  ])('is judged at the next start, where the app closed while a hook judged it: %s', async (decision, state) => {
    const place = { dataDir: testFolder('data'), workspace: testFolder('workspace') };
    const before = await open(place);
    before.hooks.settings = [before.hooks.script('slow', 'sleep 600', { timeout_seconds: 300 })];
    const wanted: CallOptions = { versions: '*', priority: 'normal', mustAsk: false, detached: true, limits: {} };
    const scope = { bearer: 'ada', agent: 'ada', tenant: '' };
    const claimed = before.gate.journal.invocations.claim(
      { scope, invocationId: null, key: null, digest: 'one', wanted },
      () => false,
    );
    const { callId } = claimed;
    before.gate.gate.submit({
      asker: makeAsker('gateway', 's', { agent: 'ada' }),
      folder: before.gate.workspace,
      calls: [{ requestId: null, ...READ, callId, wanted }],
      capacityBytes: null,
      joinable: false,
    });
    await expect.poll(() => before.gate.journal.openBatches().length).toBe(1);
    await before.gate.close();

    const after = await open(place);
    after.hooks.settings = [after.hooks.script('strict', says(decision, 'not after a restart'))];
    after.gate.recovery.decide('resume');
    const seen = () => after.gate.journal.invocations.read(callId);
    await expect
      .poll(() => [seen()?.summary.state, seen()?.summary.awaiting])
      .toEqual([state, decision === 'ask' ? 'decision' : null]);
    if (decision === 'deny') expect(seen()?.failure?.message).toContain('not after a restart');
    expect((await after.runs(callId)).map(({ name }) => name)).toEqual(['strict']);
    expect(after.gate.faults).toEqual([]);
  });
});
