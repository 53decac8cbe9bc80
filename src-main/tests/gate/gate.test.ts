import { describe, expect, it } from 'vitest';
import { ToolFailure } from '../../domain/tool/tool.js';
import { noteTool } from '../../tools/builtin/tools.test-support.js';
import { defaultConfig } from './default-config.test-support.js';
import { codes, openTestGate, states } from './gate.test-support.js';
import { any, ran, reads, writes, call } from './gate-tools.test-support.js';
import { answerTo } from './answers.test-support.js';

describe('modes (FR-MODE)', () => {
  it('T-MODE-01: disabled mode rejects tool calls', async () => {
    const gate = await openTestGate({ tools: [reads()], config: defaultConfig({ mode: 'disabled' }) });
    const settled = await gate.run(call('reads'));
    expect(codes(settled)).toEqual(['Disabled']);
    expect(gate.gate.listAdvertised(gate.workspace)).toEqual([]);
  });

  it('T-MODE-02: parse-only mode surfaces pending calls without execution', async () => {
    ran.length = 0;
    const definitions = [{ name: 'mine', description: 'd', parameters: {} }];
    const gate = await openTestGate({ tools: [reads()], config: defaultConfig({ mode: 'parse_only', definitions }) });
    expect(gate.gate.listAdvertised(gate.workspace).map(({ name }) => name)).toEqual(['mine', 'reads']);
    const batch = gate.submit([call('reads'), call('mine'), call('nobody')]);
    const [first, second] = batch.calls;
    await expect.poll(() => gate.orchestrator.activity.waiting).toBe(2);
    expect(gate.orchestrator.submitResult(first?.callId ?? '', 'by hand', false)).toBe(true);
    expect(gate.orchestrator.submitResult(first?.callId ?? '', 'again', false)).toBe(false);
    expect(gate.orchestrator.submitResult(second?.callId ?? '', 'went wrong', true)).toBe(true);
    const settled = await batch.settled;
    expect(codes(settled)).toEqual([null, 'ExecutionFailed', 'UnknownTool']);
    expect(settled[0]?.result.content).toBe('by hand');
    expect(ran).toEqual([]);
  });
});

describe('limits (FR-LIM)', () => {
  it('T-LIM-01: exceeding max_tool_calls_per_batch pre-resolves the extras, and the rest goes on', async () => {
    const gate = await openTestGate({ tools: [reads()], config: defaultConfig({ max_tool_calls_per_batch: 2 }) });
    expect(codes(await gate.run(call('reads'), call('reads'), call('reads'), call('reads')))).toEqual([
      null,
      null,
      'LimitsExceeded',
      'LimitsExceeded',
    ]);
  });

  it('FR-LIM-02: calls past the allowed iterations are settled unrun, each with its own result', async () => {
    ran.length = 0;
    const gate = await openTestGate({ tools: [reads()] });
    const refuseAll = { code: 'LimitsExceeded', message: 'Max tool iterations reached' } as const;
    const settled = await gate.submit([call('reads'), call('nobody')], { refuseAll }).settled;
    expect(codes(settled)).toEqual(['LimitsExceeded', 'LimitsExceeded']);
    expect(settled[0]?.result.content).toBe('Max tool iterations reached');
    expect(ran).toEqual([]);
  });

  it('too large arguments are refused, and what another limit bounds is not counted', async () => {
    const bounded = any(noteTool({ name: 'bounded' }, { argumentsBoundedElsewhere: ['text'] }));
    const gate = await openTestGate({ tools: [reads(), bounded], config: defaultConfig({ max_tool_args_bytes: 50 }) });
    expect(
      codes(await gate.run(call('reads', 'x'.repeat(60)), call('bounded', 'x'.repeat(60)), call('reads'))),
    ).toEqual(['LimitsExceeded', null, null]);
  });

  it('a joinable batch counts the calls that wait, not those that run', async () => {
    const gate = await openTestGate({
      tools: [reads(), writes()],
      config: defaultConfig({ max_tool_calls_per_batch: 2 }),
    });
    const joined = { joinable: true };
    const batches = [
      gate.submit([call('writes')], joined),
      gate.submit([call('writes')], joined),
      gate.submit([call('writes')], joined),
    ];
    const many = await Promise.all(Array.from({ length: 20 }, () => gate.submit([call('reads')], joined).settled));
    expect(many.flatMap(codes).every((code) => code === null)).toBe(true);
    expect(codes((await batches[2]?.settled) ?? [])).toEqual(['LimitsExceeded']);
    const sheet = await gate.sheet(batches[0] ?? expect.fail());
    expect(sheet.calls).toHaveLength(2);
    expect(new Set(batches.map(({ batchId }) => batchId)).size).toBe(1);
  });
});

describe('validation (FR-VAL)', () => {
  it('T-VAL-01: an unknown tool is pre-resolved without a prompt', async () => {
    const gate = await openTestGate({ tools: [reads()] });
    expect(codes(await gate.run(call('nobody'), call('__proto__'), call('reads')))).toEqual([
      'UnknownTool',
      'UnknownTool',
      null,
    ]);
    expect(gate.events.some(({ type }) => type === 'approval')).toBe(false);
  });

  it('T-VAL-02: schema-invalid and hostile arguments are pre-resolved, and nothing runs', async () => {
    ran.length = 0;
    const gate = await openTestGate({ tools: [writes()] });
    const hostile = [
      {},
      { text: 1 },
      { text: 'x', more: 1 },
      [],
      'text',
      null,
      7,
      JSON.parse('{"text":"x","__proto__":{"a":1}}'),
      { text: '\ud800' },
      { text: 'x', n: Infinity },
      deep(10_000),
    ];
    const gateConfig = defaultConfig({ max_tool_calls_per_batch: 50 });
    gate.config = gateConfig;
    await gate.configChanged();
    const settled = await gate.run(...hostile.map((args) => ({ tool: 'writes', arguments: args })));
    expect(codes(settled)).toEqual(hostile.map(() => 'BadArgs'));
    expect(ran).toEqual([]);
    expect(gate.faults).toEqual([]);
  });

  it('what planning finds to fail as running it would have ends as it would have, and nobody is asked', async () => {
    const failure = { code: 'PatchFailed', message: 'Line 1: no header.', file: '' } as const;
    const unreadable = any(
      noteTool(
        { name: 'unreadable', sideEffecting: true },
        { preflight: () => Promise.reject(new ToolFailure(failure)) },
      ),
    );
    const gate = await openTestGate({ tools: [unreadable] });
    const settled = await gate.run(call('unreadable'));
    expect(codes(settled)).toEqual(['PatchFailed']);
    expect(states(settled)).toEqual(['ROLLED_BACK']);
    expect(gate.events.some(({ type }) => type === 'approval')).toBe(false);
  });

  it('duplicate ids are refused; the first one stands', async () => {
    const gate = await openTestGate({ tools: [reads()] });
    const settled = await gate.run(
      { ...call('reads'), requestId: 'a' },
      { ...call('reads'), requestId: 'a' },
      { ...call('reads'), requestId: 'b' },
    );
    expect(codes(settled)).toEqual([null, 'DuplicateToolCallId', null]);
  });
});

describe('approval (FR-APR)', () => {
  it('T-APR-01: a mixed batch prompts before any execution', async () => {
    ran.length = 0;
    const gate = await openTestGate({ tools: [reads(), writes()] });
    const batch = gate.submit([call('reads', '1'), call('writes', '2'), call('reads', '3')]);
    const sheet = await gate.sheet(batch);
    expect(sheet.calls.map(({ tool }) => tool)).toEqual(['writes']);
    expect(ran).toEqual([]);
    await gate.decide(batch, { kind: 'approve-all' });
    expect(codes(await batch.settled)).toEqual([null, null, null]);
    expect(ran).toEqual(['reads:1', 'writes:2', 'reads:3']);
  });

  it('T-APR-02: approve-selected executes only what was selected, and the reason reaches the caller', async () => {
    ran.length = 0;
    const gate = await openTestGate({ tools: [writes()] });
    const batch = gate.submit([call('writes', '1'), call('writes', '2')]);
    const sheet = await gate.sheet(batch);
    const [, second] = sheet.calls;
    await gate.decide(batch, { kind: 'approve-selected', callIds: [second?.callId ?? ''] }, { reason: 'not that one' });
    const settled = await batch.settled;
    expect(codes(settled)).toEqual(['DeniedByPerson', null]);
    expect(settled[0]?.result.content).toContain('not that one');
    expect(ran).toEqual(['writes:2']);
    expect(states(settled)).toEqual(['DENIED', 'COMPLETED']);
  });

  it('an agent can be asked about for every call, or blocked', async () => {
    ran.length = 0;
    const defaults = defaultConfig({ approval: { mode: 'auto' } });
    const clients = [
      { name: 'careful', access: 'ask' as const },
      { name: 'unwanted', access: 'blocked' as const },
    ];
    const gate = await openTestGate({
      tools: [reads()],
      config: { ...defaults, gateway: { ...defaults.gateway, clients } },
    });
    const blocked = await gate.submit([call('reads')], { client: 'unwanted 1.0' }).settled;
    expect(codes(blocked)).toEqual(['Denylisted']);
    expect(codes(await gate.submit([call('reads')], { client: 'other 1.0' }).settled)).toEqual([null]);
    const batch = gate.submit([call('reads', 'asked')], { client: 'careful 2.0' });
    expect((await gate.sheet(batch)).calls[0]?.why).toContain('careful 2.0');
    expect(ran).toEqual(['reads:x']);
    await gate.decide(batch, { kind: 'approve-all' });
    expect(codes(await batch.settled)).toEqual([null]);
  });

  it('a stale digest is refused and nothing happens', async () => {
    ran.length = 0;
    const gate = await openTestGate({ tools: [writes()] });
    const batch = gate.submit([call('writes', '1')]);
    const before = await gate.sheet(batch);
    const callId = before.calls[0]?.callId ?? '';
    const edited = await gate.desk.edit(batch.batchId, callId, before.digest, { text: 'changed' });
    expect(edited.ok).toBe(true);
    gate.read();
    expect(await gate.desk.decide(answerTo(before, 'approve-all'))).toMatchObject({
      ok: false,
      problem: 'stale',
    });
    expect(ran).toEqual([]);
    await gate.decide(batch, { kind: 'approve-all' });
    await batch.settled;
    expect(ran).toEqual(['writes:changed']);
  });

  it('edited arguments go through validation again', async () => {
    const gate = await openTestGate({ tools: [writes()] });
    const batch = gate.submit([call('writes', '1')]);
    const { digest, calls } = await gate.sheet(batch);
    const callId = calls[0]?.callId ?? '';
    expect(await gate.desk.edit(batch.batchId, callId, digest, { text: 1 })).toMatchObject({
      ok: false,
      problem: 'refused',
    });
    expect((await gate.sheet(batch)).digest).toBe(digest);
    await gate.decide(batch, { kind: 'deny-all' });
    await batch.settled;
  });

  it('nobody decides in time: denied with NoDecision', async () => {
    const gate = await openTestGate({ tools: [writes()], config: defaultConfig({ approval: { wait_seconds: 0.05 } }) });
    const settled = await gate.run(call('writes'));
    expect(codes(settled)).toEqual(['NoDecision']);
    expect(states(settled)).toEqual(['DENIED']);
    expect(gate.sheets()).toEqual([]);
  });

  it('remembered for the session, it asks no more', async () => {
    const gate = await openTestGate({ tools: [writes()] });
    const batch = gate.submit([call('writes')]);
    const rule = { what: 'whole', who: 'asker', where: 'everywhere', until: 'quit' } as const;
    await gate.decide(batch, { kind: 'approve-all' }, { rule });
    await batch.settled;
    expect(codes(await gate.run(call('writes')))).toEqual([null]);
  });
});

function deep(levels: number): unknown {
  return JSON.parse(`{"text":${'['.repeat(levels)}${']'.repeat(levels)}}`) as unknown;
}
