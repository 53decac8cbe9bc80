import { copyFileSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { expect, onTestFinished, test } from 'vitest';
import { JOURNAL_FILE } from '../opening/connection.js';
import { batchReceived, settled, started } from './journal-samples.test-support.js';
import { openServiceReader, openTestJournal, testFolder } from './journal.test-support.js';
import type { SqliteJournal } from './sqlite-journal.js';

function record(journal: SqliteJournal, callId: string, content: string): void {
  journal.append([batchReceived(`b-${callId}`), ...started({ callId, batchId: `b-${callId}` })]);
  journal.append([settled(callId, { content }), { type: 'batch-closed', batchId: `b-${callId}` }]);
}

/** Searches the database as it is, without asking the journal to be ready. */
async function found(folder: string, query: string): Promise<readonly string[]> {
  const { service } = openServiceReader(folder);
  const { calls } = await service.page({ limit: 100, before: null, filter: { query } });
  service.close();
  return calls.map(({ callId }) => callId);
}

/** The files as a process that ends here would leave them. */
function asACrashLeavesIt(folder: string): string {
  const copy = join(folder, 'copy');
  mkdirSync(copy);
  for (const name of [JOURNAL_FILE, `${JOURNAL_FILE}-wal`, 'audit-head.json'])
    copyFileSync(join(folder, name), join(copy, name));
  return copy;
}

test('A call is on the disk before search knows of it, and search knows of it by itself a moment later', async () => {
  const folder = testFolder();
  const journal = openTestJournal(folder);
  onTestFinished(() => journal.close());
  record(journal, 'c1', 'the walrus said');
  expect(await found(folder, 'read_file')).toEqual([]);
  await expect.poll(() => found(folder, 'walrus'), { timeout: 30_000 }).toEqual(['c1']);
});

test('Calls that were not indexed when the app crashed are found after the next start, once each', async () => {
  const folder = testFolder();
  const journal = openTestJournal(folder);
  onTestFinished(() => journal.close());
  const calls = Array.from({ length: 70 }, (_, n) => `c${n}`);
  for (const callId of calls.slice(0, 40)) record(journal, callId, 'walrus');
  journal.readyForSearch();
  for (const callId of calls.slice(40)) record(journal, callId, 'walrus');
  const copy = asACrashLeavesIt(folder);
  expect(await found(copy, 'walrus')).toHaveLength(40);
  const again = openTestJournal(copy);
  again.readyForSearch();
  expect((await found(copy, 'walrus')).toSorted()).toEqual(calls.toSorted());
  again.close();
  expect(await found(copy, 'walrus')).toHaveLength(70);
});

test('A start that crashes before it has indexed them leaves them to the next start', async () => {
  const folder = testFolder();
  const journal = openTestJournal(folder);
  onTestFinished(() => journal.close());
  record(journal, 'c1', 'walrus');
  const copy = asACrashLeavesIt(folder);
  const second = openTestJournal(copy);
  onTestFinished(() => second.close());
  record(second, 'c2', 'walrus');
  const third = asACrashLeavesIt(copy);
  const last = openTestJournal(third);
  last.readyForSearch();
  expect((await found(third, 'walrus')).toSorted()).toEqual(['c1', 'c2']);
  last.close();
});

test('A call that is erased before it was indexed is not found afterwards', async () => {
  const folder = testFolder();
  const journal = openTestJournal(folder, { keepDays: () => 0 });
  onTestFinished(() => journal.close());
  record(journal, 'c1', 'walrus');
  expect(journal.erase(Date.now() + 60_000, 10).calls).toBe(1);
  journal.readyForSearch();
  expect(await found(folder, 'walrus')).toEqual([]);
});

test('A journal that was closed has nothing left to look for', () => {
  const folder = testFolder();
  const journal = openTestJournal(folder);
  record(journal, 'c1', 'walrus');
  journal.close();
  const db = new Database(join(folder, JOURNAL_FILE), { readonly: true });
  const mark = db.prepare("SELECT value FROM marks WHERE name = 'searched-up-to'").pluck().get();
  expect(Number(mark)).toBe(db.prepare('SELECT max(seq) FROM events').pluck().get());
  db.close();
});
