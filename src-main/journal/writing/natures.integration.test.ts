import { join } from 'node:path';
import Database from 'better-sqlite3';
import { describe, expect, it } from 'vitest';
import { type Aftermath, type CallDetail, NO_AFTERMATH } from '#contract/vocabulary/calls.js';
import type { Nature } from '#contract/vocabulary/nature.js';
import { openServiceReader, openTestJournal, testFolder } from './journal.test-support.js';
import { batchReceived, settled, started } from './journal-samples.test-support.js';

const LEFT: Aftermath = {
  putAside: [{ path: '.vscode/tasks.json', change: 'created', note: null }],
  lookComplete: false,
  changesComplete: false,
  networkUse: { reached: ['a.example:443'], refused: ['b.example:443'] },
  warnings: ['It took long.'],
};

function record(folder: string, callId: string, nature: Nature | null, aftermath: Aftermath): void {
  const journal = openTestJournal(folder);
  journal.append([batchReceived(`b-${callId}`), ...started({ callId, batchId: `b-${callId}`, nature })]);
  journal.append([settled(callId, { aftermath })]);
  journal.close();
}

async function look(folder: string) {
  const { service, verify } = openServiceReader(folder);
  try {
    const { calls } = await service.page({ limit: 20, before: null, filter: {} });
    const byId = new Map<string, CallDetail>();
    for (const { callId } of calls) {
      const detail = await service.detail(callId);
      if (detail !== null) byId.set(callId, detail);
    }
    return { verdict: await verify(), of: (callId: string): CallDetail | undefined => byId.get(callId) };
  } finally {
    service.close();
  }
}

describe('what a tool was, and what its call left', () => {
  it('is recorded with the call, whatever the tool calls it in its result', async () => {
    const folder = testFolder();
    record(folder, 'left', 'command', LEFT);
    record(folder, 'nothing', 'remote', NO_AFTERMATH);
    const { verdict, of } = await look(folder);
    expect(verdict).toMatchObject({ ok: true });
    expect(of('left')).toMatchObject({ nature: 'command', structured: null, ...LEFT });
    expect(of('nothing')).toMatchObject({ nature: 'remote', ...NO_AFTERMATH });
  });

  it.each([
    ['its nature', "UPDATE calls SET nature = 'reads' WHERE callId = 'left'"],
    ['that it has one', "UPDATE calls SET nature = NULL WHERE callId = 'left'"],
    ['what it left', 'UPDATE bodies SET aftermath = NULL'],
    ['all of both', "UPDATE calls SET nature = NULL WHERE callId = 'left'; UPDATE bodies SET aftermath = NULL"],
    ['what another left', `UPDATE bodies SET aftermath = '${JSON.stringify(NO_AFTERMATH)}'`],
  ])('can’t be changed unseen: %s', async (_what, statement) => {
    const folder = testFolder();
    record(folder, 'left', 'command', LEFT);
    const db = new Database(join(folder, 'journal.db'));
    db.exec(statement);
    db.close();
    const { verdict } = await look(folder);
    expect(verdict).toMatchObject({ ok: false, reason: expect.stringContaining('left') });
  });
});
