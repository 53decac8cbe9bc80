import { join } from 'node:path';
import Database from 'better-sqlite3';
import { expect, it } from 'vitest';
import { makeAsker } from '../../domain/call/asker.js';
import type { JournalEvent } from '../../domain/call/journal-events.js';
import { settled, started } from './journal-samples.test-support.js';
import { openTestJournal, openTestReader, testFolder } from './journal.test-support.js';

const asker = makeAsker('mcp', 's1', {
  client: 'tester 1.0',
  agent: 'builder',
  tenant: 'acme',
  user: 'somebody',
  credential: { kind: 'agent-token', id: '0123456789ab' },
});
const received: JournalEvent = { type: 'batch-received', batchId: 'b1', asker, workspace: '/w', mode: 'enabled' };

it('the asker of a call is read back whole, shown, and proven', async () => {
  const folder = testFolder();
  const journal = openTestJournal(folder);
  journal.append([received, ...started({ callId: 'c1', batchId: 'b1' })]);
  expect(journal.openBatches()).toMatchObject([{ batchId: 'b1', asker }]);
  journal.append([settled('c1')]);
  const reader = openTestReader(folder);
  const { tenant, user, credential } = asker;
  expect(await reader.detail('c1')).toMatchObject({ agent: 'builder', tenant, user, credential });
  expect(await reader.verify()).toMatchObject({ ok: true });
  await reader.close();
  journal.close();

  for (const forgotten of ['tenant = NULL', 'user = NULL', 'credential = NULL', `credential = '{}'`]) {
    const db = new Database(join(folder, 'journal.db'));
    const before = db.prepare('SELECT tenant, user, credential FROM batches').get();
    db.exec(`UPDATE batches SET ${forgotten}`);
    const again = openTestReader(folder);
    expect(await again.verify(), forgotten).toMatchObject({ ok: false });
    await again.close();
    db.prepare('UPDATE batches SET tenant = @tenant, user = @user, credential = @credential').run(before);
    db.close();
  }
});
