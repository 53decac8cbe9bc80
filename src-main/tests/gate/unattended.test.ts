import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { makeAsker } from '../../domain/call/asker.js';
import { detailsOf } from './call-details.test-support.js';
import { openCrashGate } from './crash-gate.test-support.js';
import { testFolder } from './gate.test-support.js';
import { answerTo } from './answers.test-support.js';

function places() {
  const root = testFolder('unattended');
  const place = { dataDir: join(root, 'data'), workspace: join(root, 'work'), place: () => undefined };
  mkdirSync(place.dataDir);
  mkdirSync(place.workspace);
  return place;
}

const asked = (folder: string, session: string, ...texts: string[]) => ({
  asker: makeAsker('mcp', session, { client: 'c 1' }),
  folder,
  calls: texts.map((text) => ({ requestId: null, tool: 'note', arguments: { text } })),
  capacityBytes: null,
  joinable: false,
});

describe('without a window', () => {
  it('what a crash left is answered by itself, nothing runs again, and the next call is taken', async () => {
    const place = places();
    const before = await openCrashGate({ ...place, ran: () => before.journal.close() });
    const waits = before.gate.submit(asked(place.workspace, 'waits', 'waits for the person'));
    await expect.poll(() => before.sheets().length).toBe(1);
    const runs = before.gate.submit(asked(place.workspace, 'runs', 'runs', 'waits its turn'));
    await expect.poll(() => before.sheets().length).toBe(2);
    before.read();
    const sheet = before.sheets().find(({ batchId }) => batchId === runs.batchId);
    expect((await before.desk.decide(answerTo(sheet, 'approve-all'))).ok).toBe(true);
    // While it ran, the journal ended as it does when the app dies.
    await runs.settled;

    const ran: string[] = [];
    const after = await openCrashGate({ ...place, unattended: true, ran: (callId) => void ran.push(callId) });
    expect(after.recovery.isOpen).toBe(false);
    expect(after.recovery.waiting).toEqual([]);
    const next = after.gate.submit(asked(place.workspace, 'next', 'more'));
    const [settled] = await next.settled;
    expect(settled?.failure?.code).toBe('NoDecision');
    expect(after.sheets()).toEqual([]);
    expect(ran).toEqual([]);
    await after.close();

    const ids = [...runs.calls, ...waits.calls].map(({ callId }) => callId);
    const details = await detailsOf(place.dataDir, ids);
    expect(details.map((detail) => detail?.code)).toEqual(['Interrupted', 'Interrupted', 'NoDecision']);
    // Found so, it is found so once: a third start has nothing to answer.
    const third = await openCrashGate({ ...place, unattended: true, ran: (callId) => void ran.push(callId) });
    expect([third.recovery.isOpen, third.recovery.waiting, ran]).toEqual([false, [], []]);
    await third.close();
  });
});
