import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { expect, test } from 'vitest';
import { openTestRedactor } from '../../platform/redaction/redactor.test-support.js';
import { batchReceived, settled, started, testSigner } from './journal-samples.test-support.js';
import { openServiceReader, openTestJournal, testFolder } from './journal.test-support.js';
import type { SqliteJournal } from './sqlite-journal.js';

const NONE = { available: false, sign: () => new Uint8Array(), verify: () => false };
const ARGUMENT = 'q8Zk2mPw1xYv-argument';
const RESULT = 'q8Zk2mPw1xYv-result';
const REASON = 'q8Zk2mPw1xYv-reason';
const PLAIN = 'ultramarine-and-gold';
const SECRETS = [ARGUMENT, RESULT, REASON, PLAIN];

/** As a Gatehouse wrote it that blotted nothing out. */
function record(journal: SqliteJournal): void {
  journal.append([batchReceived('b')]);
  journal.append([
    ...started({
      callId: 'asked',
      batchId: 'b',
      tool: 'write_file',
      arguments: { path: 'a', content: `password=${ARGUMENT}` },
    }),
    settled('asked', { content: `Authorization: Bearer ${RESULT}\nfine\n` }),
  ]);
  const failure = { code: 'ExecutionFailed', message: `It said DB_PASSWORD=${REASON}` } as const;
  journal.append([
    ...started({ callId: 'failed', batchId: 'b' }),
    settled('failed', { content: failure.message }, failure),
  ]);
  journal.append([
    ...started({ callId: 'env', batchId: 'b', arguments: { path: 'app/.env' } }),
    settled('env', { content: `COLOUR=${PLAIN}\nPORT=1\n` }),
  ]);
  journal.append([...started({ callId: 'plain', batchId: 'b' }), settled('plain', { content: 'nothing at all' })]);
}

function placesOf(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => join(folder, name))
    .filter((file) => statSync(file).isFile())
    .flatMap((file) =>
      SECRETS.filter((value) => readFileSync(file).includes(value)).map((value) => `${value} in ${file}`),
    );
}

/** Everything that is recorded so far is from before. */
function markAll(folder: string): void {
  const db = new Database(join(folder, 'journal.db'));
  db.exec("INSERT INTO marks (name, value) SELECT 'calls-from-before', max(id) FROM calls");
  db.close();
}

async function eraseAll(journal: SqliteJournal): Promise<number> {
  let places = 0;
  for (let after: number | null = 0; after !== null;) {
    const found: Awaited<ReturnType<SqliteJournal['lookThrough']>> = await journal.lookThrough(
      openTestRedactor(),
      after,
    );
    if (found === null) throw new Error('there is something to look through');
    expect(journal.eraseSecrets(found.calls)).toBe(true);
    places += found.calls.reduce((sum, call) => sum + call.places, 0);
    after = found.next;
  }
  while (journal.mergeSearchWords());
  journal.forgetBefore();
  return places;
}

test.each([
  ['with a key', testSigner],
  ['without one', NONE],
])('What was recorded in the clear is erased, and the chain still verifies, %s', async (_, signer) => {
  const folder = testFolder();
  const first = openTestJournal(folder, { signer });
  record(first);
  first.close();
  markAll(folder);
  expect(placesOf(folder)).not.toEqual([]);

  const journal = openTestJournal(folder, { signer });
  expect(journal.fromBefore).toMatchObject({ calls: 4 });
  // Looking changes nothing.
  const found = await journal.lookThrough(openTestRedactor(), 0);
  expect(found?.calls.map(({ id }) => id)).toEqual([1, 2, 3]);
  expect(await eraseAll(journal)).toBeGreaterThanOrEqual(4);
  expect(placesOf(folder)).toEqual([]);
  expect(journal.fromBefore).toBeNull();
  journal.append([batchReceived('c'), ...started({ callId: 'later', batchId: 'c' }), settled('later')]);
  journal.close();
  expect(placesOf(folder)).toEqual([]);

  const { service, verify } = openServiceReader(folder);
  if (signer === testSigner) expect(await verify()).toMatchObject({ ok: true });
  const asked = await service.detail('asked');
  expect(asked).toMatchObject({
    arguments: { path: 'a', content: 'password=[redacted]' },
    result: 'Authorization: [redacted]\nfine\n',
    state: 'COMPLETED',
  });
  expect(asked?.events.at(-1)?.note).toContain('erased');
  expect(await service.detail('env')).toMatchObject({ result: 'COLOUR=[redacted]\nPORT=1\n', redactions: 1 });
  expect((await service.detail('failed'))?.reason).toBe('It said DB_PASSWORD=[redacted]');
  expect(await service.detail('plain')).toMatchObject({ result: 'nothing at all', redactions: 0 });
  const page = await service.page({ limit: 5, before: null, filter: { query: 'fine' } });
  expect(page.calls.map(({ callId }) => callId)).toEqual(['asked']);
  service.close();
});

test.each([
  ['what is shown', "UPDATE bodies SET result = 'other' WHERE call = 1"],
  ['what was asked', `UPDATE bodies SET arguments = '{"path":"b"}' WHERE call = 1`],
  ['why it failed', "UPDATE calls SET reason = 'other' WHERE callId = 'failed'"],
])('Afterwards nothing can be changed unseen: %s', async (_, statement) => {
  const folder = testFolder();
  const journal = openTestJournal(folder);
  record(journal);
  markAll(folder);
  await eraseAll(journal);
  journal.close();
  const db = new Database(join(folder, 'journal.db'));
  db.exec(statement);
  db.close();
  const { service, verify } = openServiceReader(folder);
  expect(await verify()).toMatchObject({ ok: false });
  service.close();
});

test('A history that begins with this Gatehouse has nothing to offer', () => {
  const journal = openTestJournal(testFolder());
  record(journal);
  expect(journal.fromBefore).toBeNull();
  journal.close();
});
