import { beforeEach, describe, expect, it } from 'vitest';
import type { DecisionMessage } from '../../domain/ports/gate/approval-desk.js';
import { call, ran, writes } from '../../tests/gate/gate-tools.test-support.js';
import { codes, openTestGate } from '../../tests/gate/gate.test-support.js';

beforeEach(() => {
  ran.length = 0;
});

const answer = (batchId: string, digest: string, more: Partial<DecisionMessage> = {}): DecisionMessage => ({
  batchId,
  digest,
  decision: { kind: 'approve-all' },
  reason: null,
  reasons: new Map(),
  network: new Set(),
  remember: null,
  ...more,
});

/** Two calls that wait on one sheet. */
async function asked() {
  const gate = await openTestGate({ tools: [writes()] });
  const batch = gate.submit([call('writes', '1'), call('writes', '2')]);
  const sheet = await gate.sheet(batch);
  const [first = '', second = ''] = sheet.calls.map(({ callId }) => callId);
  return { gate, batch, sheet, first, second };
}

describe('An answer to a sheet', () => {
  it('counts once: the second finds nothing that waits', async () => {
    const { gate, batch, sheet } = await asked();
    expect(await gate.desk.decide(answer(batch.batchId, sheet.digest))).toMatchObject({ ok: true });
    expect(await gate.desk.decide(answer(batch.batchId, sheet.digest))).toMatchObject({
      ok: false,
      problem: 'not-found',
    });
    await batch.settled;
    expect(ran).toEqual(['writes:1', 'writes:2']);
  });

  it('of two at the same moment counts once', async () => {
    const { gate, batch, sheet } = await asked();
    const both = await Promise.all([
      gate.desk.decide(answer(batch.batchId, sheet.digest)),
      gate.desk.decide(answer(batch.batchId, sheet.digest, { decision: { kind: 'deny-all' } })),
    ]);
    expect(both.filter(({ ok }) => ok)).toHaveLength(1);
    expect(await batch.settled).toHaveLength(2);
  });

  it('that selects what is not on it approves nothing', async () => {
    const { gate, batch, sheet } = await asked();
    const decision = { kind: 'approve-selected', callIds: ['somebody-else’s'] } as const;
    await gate.desk.decide(answer(batch.batchId, sheet.digest, { decision }));
    expect(codes(await batch.settled)).toEqual(['DeniedByPerson', 'DeniedByPerson']);
    expect(ran).toEqual([]);
  });

  it('can’t allow the network, or .git, to what was not offered it; nothing is decided then', async () => {
    const { gate, batch, sheet, first } = await asked();
    for (const more of [
      { network: new Set([first]) },
      { network: new Set(['none']) },
      { writesGit: new Set([first]) },
    ]) {
      expect(await gate.desk.decide(answer(batch.batchId, sheet.digest, more))).toMatchObject({
        ok: false,
        problem: 'refused',
      });
    }
    expect(gate.desk.requests).toHaveLength(1);
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

describe('One call of a sheet', () => {
  it('is denied alone; the sheet is another one then, and what was aimed at the old one is refused', async () => {
    const { gate, batch, sheet, first } = await asked();
    expect(gate.desk.denyOne(batch.batchId, first, 'another digest', null)).toMatchObject({ problem: 'stale' });
    expect(gate.desk.denyOne(batch.batchId, 'none', sheet.digest, null)).toMatchObject({ problem: 'not-found' });
    expect(gate.desk.denyOne(batch.batchId, first, sheet.digest, ' ')).toMatchObject({ ok: true });
    expect(await gate.desk.decide(answer(batch.batchId, sheet.digest))).toMatchObject({ problem: 'stale' });
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

describe('A sheet', () => {
  it('is closed only when nothing on it waits', async () => {
    const { gate, batch } = await asked();
    expect(gate.desk.close(batch.batchId)).toMatchObject({ problem: 'refused' });
    batch.cancel('not wanted any more');
    await batch.settled;
    expect((await gate.sheet(batch)).over).toBe(true);
    expect(gate.desk.close(batch.batchId)).toMatchObject({ ok: true });
    expect(gate.desk.close(batch.batchId)).toMatchObject({ problem: 'not-found' });
    expect(ran).toEqual([]);
  });
});
