import { expect, it } from 'vitest';
import { call, stuck, writes } from './gate-tools.test-support.js';
import { openTestGate } from './gate.test-support.js';

it.each(['before it is planned', 'while it waits for a person', 'while it runs'])(
  'a call whose caller’s time is over %s ends as one that timed out',
  async (when) => {
    const gate = await openTestGate({ tools: [writes(), stuck()] });
    const batch = gate.submit([call(when === 'while it runs' ? 'stuck' : 'writes')]);
    const [one] = batch.calls;
    if (when === 'while it waits for a person') await gate.sheet(batch);
    if (when === 'while it runs')
      await new Promise<void>((resolve) => void one?.onProgress(({ type }) => type === 'executing' && resolve()));
    one?.expire();
    const [settled] = await batch.settled;
    expect(settled).toMatchObject({ failure: { code: 'Timeout', eCode: 'E3103' }, summary: { outcome: 'timeout' } });
    expect(gate.sheets()).toEqual([]);
    expect(gate.faults).toEqual([]);
  },
);
