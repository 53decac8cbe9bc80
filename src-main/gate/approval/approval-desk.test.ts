import { beforeEach, describe, expect, it } from 'vitest';
import type { ApprovalRequest } from '#contract/window/approvals.js';
import type { DecisionMessage } from '../../domain/ports/gate/approval-desk.js';
import { answerTo } from '../../tests/gate/answers.test-support.js';
import { any, call, ran, risky, writes } from '../../tests/gate/gate-tools.test-support.js';
import { noteTool } from '../../tools/builtin/tools.test-support.js';
import { codes, openTestGate } from '../../tests/gate/gate.test-support.js';

beforeEach(() => {
  ran.length = 0;
});

const answer = (sheet: ApprovalRequest, more: Partial<DecisionMessage> = {}): DecisionMessage =>
  answerTo(sheet, 'approve-all', more);

/** Two calls that wait on one sheet, and have stood there for a while. */
async function asked() {
  const gate = await openTestGate({ tools: [writes()] });
  const batch = gate.submit([call('writes', '1'), call('writes', '2')]);
  const sheet = await gate.sheet(batch);
  gate.read();
  const [first = '', second = ''] = sheet.calls.map(({ callId }) => callId);
  return { gate, batch, sheet, first, second };
}

describe('An answer to a sheet', () => {
  it('counts once: the second finds nothing that waits', async () => {
    const { gate, batch, sheet } = await asked();
    expect(await gate.desk.decide(answer(sheet))).toMatchObject({ ok: true });
    expect(await gate.desk.decide(answer(sheet))).toMatchObject({
      ok: false,
      problem: 'not-found',
    });
    await batch.settled;
    expect(ran).toEqual(['writes:1', 'writes:2']);
  });

  it('of two at the same moment counts once', async () => {
    const { gate, batch, sheet } = await asked();
    const both = await Promise.all([
      gate.desk.decide(answer(sheet)),
      gate.desk.decide(answer(sheet, { decision: { kind: 'deny-all' } })),
    ]);
    expect(both.filter(({ ok }) => ok)).toHaveLength(1);
    expect(await batch.settled).toHaveLength(2);
  });

  it('that selects what is not on it approves nothing', async () => {
    const { gate, batch, sheet } = await asked();
    const decision = { kind: 'approve-selected', callIds: ['somebody-else’s'] } as const;
    await gate.desk.decide(answer(sheet, { decision }));
    expect(codes(await batch.settled)).toEqual(['DeniedByPerson', 'DeniedByPerson']);
    expect(ran).toEqual([]);
  });

  it('can’t allow the network, or .git, to what was not offered it; nothing is decided then', async () => {
    const { gate, batch, sheet, first } = await asked();
    for (const more of [
      { network: new Map([[first, 'any']]) },
      { network: new Map([['none', 'any']]) },
      { writesGit: new Set([first]) },
    ] satisfies Partial<DecisionMessage>[]) {
      expect(await gate.desk.decide(answer(sheet, more))).toMatchObject({
        ok: false,
        problem: 'refused',
      });
    }
    expect(gate.sheets()).toHaveLength(1);
    await gate.decide(batch, { kind: 'deny-all' });
    await batch.settled;
  });

  it('gives each call its own reason, and all others the common one', async () => {
    const { gate, batch, first } = await asked();
    await gate.decide(batch, { kind: 'deny-all' }, { reason: 'not now', reasons: new Map([[first, 'not this']]) });
    const contents = (await batch.settled).map(({ result }) => result.content);
    expect(contents[0]).toContain('not this');
    expect(contents[1]).toContain('not now');
  });
});

it('nothing is approved that was not drawn, but by a second step that says so', async () => {
  const gate = await openTestGate({ tools: [writes()] });
  const batch = gate.submit([call('writes', 'x'.repeat(5875)), call('writes', 'short')]);
  const sheet = await gate.sheet(batch);
  const [long = '', short = ''] = batch.calls.map(({ callId }) => callId);
  gate.read();
  for (const decision of [
    { kind: 'approve-all' },
    { kind: 'approve-selected', callIds: [long] },
  ] satisfies DecisionMessage['decision'][])
    for (const folded of [new Set<string>(), new Set([short])])
      expect(await gate.desk.decide(answer(sheet, { decision, folded }))).toMatchObject({
        ok: false,
        problem: 'refused',
      });
  expect(gate.sheets()).toHaveLength(1);
  expect(await gate.desk.decide(answer(sheet, { folded: new Set([long]) }))).toMatchObject({ ok: true });
  expect(codes(await batch.settled)).toEqual([null, null]);
});

describe('One call of a sheet', () => {
  it('is denied alone; the sheet is another one then, and what was aimed at the old one is refused', async () => {
    const { gate, batch, sheet, first } = await asked();
    expect(gate.desk.denyOne(batch.batchId, first, 'another digest', null)).toMatchObject({ problem: 'stale' });
    expect(gate.desk.denyOne(batch.batchId, 'none', sheet.digest, null)).toMatchObject({ problem: 'not-found' });
    expect(gate.desk.denyOne(batch.batchId, first, sheet.digest, ' ')).toMatchObject({ ok: true });
    expect(await gate.desk.decide(answer(sheet))).toMatchObject({ problem: 'stale' });
    await gate.decide(batch, { kind: 'approve-all' });
    expect(codes(await batch.settled)).toEqual(['DeniedByPerson', null]);
    expect(ran).toEqual(['writes:2']);
  });

  it('keeps what was asked first through several edits', async () => {
    const { gate, batch, first } = await asked();
    for (const text of ['a', 'b']) {
      const { digest } = await gate.sheet(batch);
      expect(await gate.desk.edit(batch.batchId, first, digest, { text })).toMatchObject({ ok: true });
    }
    const [shown] = (await gate.sheet(batch)).calls;
    expect(shown).toMatchObject({ arguments: { text: 'b' }, originalArguments: { text: '1' } });
    await gate.decide(batch, { kind: 'approve-all' });
    await batch.settled;
    expect(ran).toEqual(['writes:b', 'writes:2']);
  });

  it('can’t be edited by an answer to another sheet', async () => {
    const { gate, batch, first, sheet } = await asked();
    expect(await gate.desk.edit(batch.batchId, first, 'another digest', { text: 'x' })).toMatchObject({
      problem: 'stale',
    });
    expect(await gate.desk.edit('none', first, sheet.digest, { text: 'x' })).toMatchObject({ problem: 'not-found' });
    await gate.decide(batch, { kind: 'deny-all' });
    await batch.settled;
  });
});

/** A session of MCP, whose calls join one batch. */
const session = (sessionId: string) => ({ door: 'mcp', client: `${sessionId} 1`, sessionId, joinable: true }) as const;

describe('A sheet', () => {
  it('is drawn with all that its asker sends for a moment, and nothing joins it by itself after that', async () => {
    const { gate } = await asked();
    const first = gate.submit([call('writes', 'a')], session('s'));
    const same = gate.submit([call('writes', 'b')], session('s'));
    const sheet = await gate.sheet(first);
    expect(sheet.calls.map(({ arguments: { text } }) => text)).toEqual(['a', 'b']);
    expect(same.batchId).toBe(first.batchId);
    gate.submit([call('writes', 'c')], session('s'));
    await expect.poll(async () => (await gate.sheet(first)).behind.length).toBe(1);
    expect(await gate.sheet(first)).toMatchObject({ digest: sheet.digest, calls: sheet.calls });
  });

  it('holds nothing of another session, whatever that calls itself', async () => {
    const gate = await openTestGate({ tools: [writes()] });
    const [one, other] = ['s1', 's2'].map((id) =>
      gate.submit([call('writes', id)], { ...session(id), client: 'the same 1' }),
    );
    expect((await gate.sheet(one ?? expect.fail())).calls).toHaveLength(1);
    expect((await gate.sheet(other ?? expect.fail())).calls).toHaveLength(1);
  });

  it('decides only what was on it; what waited behind is the next sheet', async () => {
    const gate = await openTestGate({ tools: [writes()] });
    const first = gate.submit([call('writes', 'a')], session('s'));
    const sheet = await gate.sheet(first);
    const later = [gate.submit([call('writes', 'b')], session('s')), gate.submit([call('writes', 'c')], session('s'))];
    await expect.poll(async () => (await gate.sheet(first)).behind.length).toBe(2);
    gate.read();
    expect(await gate.desk.decide(answer(sheet))).toMatchObject({ ok: true });
    await first.settled;
    expect(ran).toEqual(['writes:a']);
    const next = await gate.sheet(first);
    expect(next).toMatchObject({
      drawing: 2,
      behind: [],
      calls: [{ arguments: { text: 'b' } }, { arguments: { text: 'c' } }],
    });
    // It was drawn just now: the same click again decides nothing, by either digest.
    expect(await gate.desk.decide(answer(sheet))).toMatchObject({ ok: false, problem: 'stale' });
    expect(await gate.desk.decide(answer(next))).toMatchObject({ ok: false, problem: 'refused' });
    expect(ran).toEqual(['writes:a']);
    await gate.decide(first, { kind: 'approve-all' });
    await Promise.all(later.map(({ settled }) => settled));
    expect(ran).toEqual(['writes:a', 'writes:b', 'writes:c']);
  });

  it('takes up what came later when the person wants to see it, and is new then', async () => {
    const gate = await openTestGate({ tools: [writes()] });
    const batch = gate.submit([call('writes', 'a')], session('s'));
    const sheet = await gate.sheet(batch);
    gate.submit([call('writes', 'b')], session('s'));
    await expect.poll(async () => (await gate.sheet(batch)).behind.length).toBe(1);
    gate.read();
    expect(await gate.desk.show(batch.batchId)).toMatchObject({ ok: true });
    const shown = await gate.sheet(batch);
    expect(shown).toMatchObject({ drawing: 1, behind: [], calls: [{}, {}] });
    expect(await gate.desk.decide(answer(sheet))).toMatchObject({ problem: 'stale' });
    expect(await gate.desk.decide(answer(shown))).toMatchObject({ problem: 'refused' });
    expect(ran).toEqual([]);
  });

  it('goes by itself when all on it is taken back, and what waited behind comes', async () => {
    const gate = await openTestGate({ tools: [writes()] });
    const first = gate.submit([call('writes', 'a')], session('s'));
    await gate.sheet(first);
    gate.submit([call('writes', 'b')], session('s'));
    await expect.poll(async () => (await gate.sheet(first)).behind.length).toBe(1);
    first.cancel();
    await expect.poll(() => gate.sheets()).toMatchObject([{ drawing: 2, calls: [{ arguments: { text: 'b' } }] }]);
    expect(gate.events.filter(({ type }) => type === 'taken-back')).toMatchObject([
      { what: { callId: first.calls[0]?.callId, client: 's 1' } },
    ]);
    expect(ran).toEqual([]);
  });
});

describe('What is approved', () => {
  it('has stood for half a second: not when it is drawn, nor right after an edit; denying needs no time', async () => {
    const gate = await openTestGate({ tools: [writes()] });
    const batch = gate.submit([call('writes', 'a'), call('writes', 'b')]);
    const sheet = await gate.sheet(batch);
    const [first = ''] = sheet.calls.map(({ callId }) => callId);
    const selected = { kind: 'approve-selected', callIds: [first] } as const;
    for (const more of [{}, { decision: selected }])
      expect(await gate.desk.decide(answer(sheet, more))).toMatchObject({ ok: false, problem: 'refused' });
    gate.read();
    await gate.desk.edit(batch.batchId, first, sheet.digest, { text: 'edited' });
    const edited = await gate.sheet(batch);
    expect(await gate.desk.decide(answer(edited))).toMatchObject({ problem: 'refused' });
    expect(ran).toEqual([]);
    expect(await gate.desk.decide(answer(edited, { decision: { kind: 'deny-all' } }))).toMatchObject({ ok: true });
    await batch.settled;
    expect(ran).toEqual([]);
  });

  it('is of High risk only where it was chosen by itself, or asked about a second time', async () => {
    const gate = await openTestGate({ tools: [risky()] });
    const batch = gate.submit([call('risky', 'a'), call('risky', 'b')]);
    const sheet = await gate.sheet(batch);
    const [first = '', second = ''] = sheet.calls.map(({ callId }) => callId);
    gate.read();
    for (const highRisk of [new Set<string>(), new Set([first])])
      expect(await gate.desk.decide(answer(sheet, { highRisk }))).toMatchObject({ ok: false, problem: 'refused' });
    expect(ran).toEqual([]);
    const decision = { kind: 'approve-selected', callIds: [second] } as const;
    expect(await gate.desk.decide(answer(sheet, { highRisk: new Set(), decision }))).toMatchObject({ ok: true });
    await batch.settled;
    expect(ran).toEqual(['risky:b']);
  });
});

const RULE = { what: 'whole', who: 'asker', where: 'here', until: 'quit' } as const;

describe('A rule that is made on the sheet', () => {
  it('holds for the agent that asked, and lets no other in', async () => {
    const gate = await openTestGate({ tools: [writes()] });
    const of = (agent: string | null, sessionId: string) =>
      gate.submit([call('writes', sessionId)], { ...session(sessionId), agent });
    const first = of('one', 's1');
    await gate.decide(first, { kind: 'approve-all' }, { rule: RULE });
    await first.settled;
    await of('one', 's2').settled;
    expect(ran).toEqual(['writes:s1', 'writes:s2']);
    for (const other of [of('two', 's3'), of(null, 's4')]) expect((await gate.sheet(other)).calls).toHaveLength(1);
    expect(ran).toHaveLength(2);
  });

  it('holds for the one session of who has no token', async () => {
    const gate = await openTestGate({ tools: [writes()] });
    const first = gate.submit([call('writes', 'a')], session('s1'));
    await gate.decide(first, { kind: 'approve-all' }, { rule: RULE });
    await first.settled;
    await gate.submit([call('writes', 'b')], session('s1')).settled;
    expect((await gate.sheet(gate.submit([call('writes', 'c')], session('s2')))).calls).toHaveLength(1);
    expect(ran).toEqual(['writes:a', 'writes:b']);
  });

  it('is made of one call, of what was offered, and outlives no session', async () => {
    const gate = await openTestGate({ tools: [writes()] });
    const several = gate.submit([call('writes', 'a'), call('writes', 'b')]);
    await expect(gate.decide(several, { kind: 'approve-all' }, { rule: RULE })).rejects.toThrow('made from one call');
    const one = gate.submit([call('writes', 'a')]);
    for (const [change, why] of [
      [{ what: 'first-words' }, 'can’t cover the first words'],
      [{ until: 'always' }, 'A rule for a session ends with the session'],
    ] as const)
      await expect(gate.decide(one, { kind: 'approve-all' }, { rule: { ...RULE, ...change } })).rejects.toThrow(why);
    await expect(gate.decide(one, { kind: 'deny-all' }, { rule: RULE })).rejects.toThrow('made from one call');
    expect(ran).toEqual([]);
  });

  it('is impossible for what is asked about whatever rules say, and that is said', async () => {
    const wish = 'It leads outside.';
    const preflight = () => Promise.resolve({ risk: 'low', mustAsk: wish } as const);
    const tool = any(noteTool({ name: 'wary', sideEffecting: true }, { preflight }));
    const gate = await openTestGate({ tools: [tool] });
    const batch = gate.submit([call('wary')]);
    const [shown] = (await gate.sheet(batch)).calls;
    expect(shown?.rule.impossible).toContain(wish);
    await expect(gate.decide(batch, { kind: 'approve-all' }, { rule: RULE })).rejects.toThrow('No rule can cover this');
  });
});
