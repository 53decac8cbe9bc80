import { describe, expect, it } from 'vitest';
import { defaultConfig } from './default-config.test-support.js';
import { codes, type TestGate } from './gate.test-support.js';
import { ran, curl, open } from './taint.test-support.js';

describe('what was judged is judged again', () => {
  const until = async (gate: TestGate, type: string, work: () => void): Promise<void> => {
    await new Promise<void>((resolve) => {
      gate.journal.onCommit((events) => {
        if (events.some((event) => event.type === type)) resolve();
      });
    });
    work();
  };
  const readElsewhere = (gate: TestGate, path = 'README.md', isPrivate = false) =>
    gate.journal.append([
      {
        type: 'text-given',
        to: 'agent:codex',
        workspace: gate.workspace,
        byCall: null,
        text: { name: path, origin: 'file', ofFolder: true, isPrivate, session: 'another' },
      },
    ]);

  it('a rule let it run, and then another session read: it does not start', async () => {
    const { gate } = await open();
    const swap = until(gate, 'call-authorized', () => readElsewhere(gate));
    const batch = gate.submit([curl], { door: 'mcp', agent: 'codex' });
    await swap;
    expect(codes(await batch.settled)).toEqual(['NoDecision']);
    expect(ran).toEqual([]);
  });

  it('the person said yes to what had read nothing, or to less than all three', async () => {
    for (const [before, path, isPrivate] of [
      [false, 'README.md', false],
      [true, '.env', true],
    ] as const) {
      ran.length = 0;
      const { gate } = await open({ rules: [] });
      gate.config = defaultConfig({ run_command: { network: true } });
      await gate.configChanged();
      if (before) readElsewhere(gate);
      const swap = until(gate, 'call-authorized', () => readElsewhere(gate, path, isPrivate));
      const batch = gate.submit([curl], { door: 'mcp', agent: 'codex' });
      await gate.decide(batch, { kind: 'approve-all' });
      await swap;
      expect(codes(await batch.settled)).toEqual(['NoDecision']);
      expect(ran).toEqual([]);
    }
  });

  it('a sheet is drawn anew, and an answer to the old one is refused', async () => {
    const { gate } = await open({ rules: [] });
    gate.config = defaultConfig({ run_command: { network: true } });
    await gate.configChanged();
    const batch = gate.submit([curl], { door: 'mcp', agent: 'codex' });
    const before = await gate.sheet(batch);
    readElsewhere(gate);
    await gate.desk.refresh();
    const after = await gate.sheet(batch);
    expect(before.calls[0]?.why).not.toContain('README.md');
    expect(after.calls[0]?.why).toContain('after reading README.md');
    expect(after.digest).not.toBe(before.digest);
    await gate.decide(batch, { kind: 'approve-all' });
    expect(codes(await batch.settled)).toEqual([null]);
  });
});
