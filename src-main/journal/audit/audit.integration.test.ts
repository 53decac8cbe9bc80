import { copyFileSync, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { describe, expect, it } from 'vitest';
import type { AuditVerdict } from '#contract/vocabulary/telemetry.js';
import { bodyHash, chainHash, GENESIS } from './chain.js';
import { openTestJournal, openTestReader, testFolder } from '../writing/journal.test-support.js';
import { batchReceived, settled, started, testSigner } from '../writing/journal-samples.test-support.js';
import type { HeadSigner } from './head-signing.js';

/** Three calls: events 1 to 18 (a batch and five events a call). */
function written(folder: string): void {
  const journal = openTestJournal(folder);
  for (const n of [1, 2, 3]) {
    journal.append([batchReceived(`b${n}`), ...started({ callId: `c${n}`, batchId: `b${n}` })]);
    journal.append([settled(`c${n}`, { content: `result ${n}` })]);
  }
  journal.close();
}

/** Someone with the file and SQLite, for whom triggers are no obstacle. */
function tamper(folder: string, change: (db: Database.Database) => void): void {
  const db = new Database(join(folder, 'journal.db'));
  for (const name of ['events_are_never_deleted', 'events_are_never_changed', 'events_only_grow']) {
    db.exec(`DROP TRIGGER ${name}`);
  }
  change(db);
  db.close();
}

async function verify(folder: string, signer: HeadSigner = testSigner): Promise<AuditVerdict> {
  const reader = openTestReader(folder, signer);
  try {
    return await reader.verify();
  } finally {
    await reader.close();
  }
}

/** Rebuilds the chain as an attacker without the key can: right in itself. */
function rehash(db: Database.Database): void {
  let previous = GENESIS;
  for (const { seq, body } of db
    .prepare<[], { seq: number; body: string }>('SELECT seq, body FROM events ORDER BY seq')
    .all()) {
    previous = chainHash(previous, bodyHash(body));
    db.prepare('UPDATE events SET hash = ? WHERE seq = ?').run(previous, seq);
  }
}

describe('verify', () => {
  it('is ok for a record that nobody touched, after a restart too', async () => {
    const folder = testFolder();
    written(folder);
    const verdict = await verify(folder);
    expect(verdict).toMatchObject({ ok: true, events: 18, signed: true });
    openTestJournal(folder).close();
    expect(await verify(folder)).toEqual(verdict);
  });

  it.each<[string, number, string, (db: Database.Database) => void]>([
    [
      'an edit',
      9,
      'not what was recorded',
      (db) => db.exec(`UPDATE events SET body = replace(body, '"VALIDATED"', '"COMPLETED"') WHERE seq = 9`),
    ],
    ['a deletion', 9, 'missing', (db) => db.exec('DELETE FROM events WHERE seq = 9')],
    ['a deletion of the first', 1, 'missing', (db) => db.exec('DELETE FROM events WHERE seq = 1')],
    [
      'a reordering',
      9,
      'not what was recorded',
      (db) =>
        db.exec(
          'UPDATE events SET seq = -9 WHERE seq = 9; UPDATE events SET seq = 9 WHERE seq = 10; UPDATE events SET seq = 10 WHERE seq = -9',
        ),
    ],
    [
      'an insertion',
      9,
      'not what was recorded',
      (db) => {
        db.exec('UPDATE events SET seq = -(seq + 1) WHERE seq >= 9; UPDATE events SET seq = -seq WHERE seq < 0');
        db.exec('INSERT INTO events (seq, call, body, hash) SELECT 9, call, body, hash FROM events WHERE seq = 8');
      },
    ],
    [
      'an insertion at the end',
      19,
      'not what was recorded',
      (db) =>
        db.exec('INSERT INTO events (seq, call, body, hash) SELECT 19, call, body, hash FROM events WHERE seq = 8'),
    ],
    ['an erased body', 9, 'lost its content', (db) => db.exec('UPDATE events SET body = NULL WHERE seq = 9')],
    [
      'an erased body with its hash kept',
      9,
      'no retention event',
      (db) => {
        const row = db.prepare<[], { body: string }>('SELECT body FROM events WHERE seq = 9').get();
        const hash = bodyHash(row?.body ?? '');
        db.prepare('UPDATE events SET body = NULL, erasedHash = ?, erasedBy = 18 WHERE seq = 9').run(hash);
      },
    ],
    [
      'an event filed under another call',
      8,
      'another call',
      (db) => db.exec('UPDATE events SET call = 1 WHERE seq = 8'),
    ],
    [
      'an edited result',
      12,
      'result of call c2',
      (db) => db.exec("UPDATE bodies SET result = 'other' WHERE result = 'result 2'"),
    ],
    [
      'edited arguments',
      12,
      'arguments of call c2',
      (db) => db.exec(`UPDATE bodies SET arguments = '{"path":"x"}' WHERE result = 'result 2'`),
    ],
    [
      'an edited state',
      12,
      'shown as FAILED',
      (db) => db.exec("UPDATE calls SET state = 'FAILED' WHERE callId = 'c2'"),
    ],
    [
      'a deleted call',
      8,
      'another call',
      (db) => db.exec("DELETE FROM bodies WHERE call = 2; DELETE FROM calls WHERE callId = 'c2'"),
    ],
    ['a deleted body', 12, 'was deleted', (db) => db.exec('DELETE FROM bodies WHERE call = 2')],
    ...[
      `UPDATE bodies SET structured = '{"all":"well"}' WHERE call = 2`,
      `UPDATE bodies SET changedFiles = '[{"path":"other","change":"created","undoable":false,"note":null}]' WHERE call = 2`,
      `UPDATE bodies SET failure = '{"code":"Internal","message":"other"}' WHERE call = 2`,
      `UPDATE bodies SET originalArguments = '{"path":"other"}' WHERE call = 2`,
      `UPDATE bodies SET storedOutputs = '[{"stream":"stdout","sha256":"00","bytes":1}]' WHERE call = 2`,
      `UPDATE calls SET summary = 'Read another file' WHERE id = 2`,
      `UPDATE calls SET tool = 'write_file' WHERE id = 2`,
      `UPDATE calls SET outcome = 'denied', code = 'DeniedByPerson', reason = 'no' WHERE id = 2`,
      `UPDATE calls SET startedAt = startedAt - 1 WHERE id = 2`,
      `UPDATE calls SET confinement = 'confined' WHERE id = 2`,
      `UPDATE calls SET settled = 0 WHERE id = 2`,
      `UPDATE calls SET redactions = 3 WHERE id = 2`,
      `UPDATE calls SET durationMs = 13 WHERE id = 2`,
      `UPDATE batches SET client = 'someone else' WHERE batchId = 'b2'`,
      `UPDATE batches SET agent = 'someone else' WHERE batchId = 'b2'`,
      `UPDATE batches SET tenant = 'acme' WHERE batchId = 'b2'`,
      `UPDATE batches SET user = 'somebody' WHERE batchId = 'b2'`,
      `UPDATE batches SET credential = '{"kind":"pipe","id":"x"}' WHERE batchId = 'b2'`,
      `UPDATE batches SET workspace = '/elsewhere' WHERE batchId = 'b2'`,
    ].map((sql): [string, number, string, (db: Database.Database) => void] => [
      sql,
      12,
      'What is shown of call c2',
      (db) => db.exec(sql),
    ]),
    ['a cut tail', 17, '18 were signed for', (db) => db.exec('DELETE FROM events WHERE seq >= 17')],
    [
      'a chain made anew',
      18,
      'signed for',
      (db) => {
        db.exec(`UPDATE events SET body = replace(body, 'Reading is allowed.', 'Everything is.') WHERE seq = 10`);
        rehash(db);
      },
    ],
  ])('names the first bad event for %s', async (_, firstBad, reason, change) => {
    const folder = testFolder();
    written(folder);
    tamper(folder, change);
    const verdict = await verify(folder);
    expect(verdict).toMatchObject({ ok: false, firstBad });
    expect(verdict).toHaveProperty('reason', expect.stringContaining(reason));
  });

  it('is ok for odd words and numbers, as they were stored', async () => {
    const folder = testFolder();
    const journal = openTestJournal(folder);
    const odd = 'a\u0000b \ud800 \udc00\ud83d é 👍🏽 \u2028 - 1:2';
    journal.append([batchReceived('b1'), ...started({ callId: 'c1', batchId: 'b1', summary: odd })]);
    const result = { content: odd, structured: { odd }, cpuMs: 0.1 + 0.2, peakMemoryBytes: 2 ** 52, outputBytes: 0 };
    journal.append([settled('c1', result, { code: 'ExecutionFailed', message: odd })]);
    journal.append([batchReceived('b2'), ...started({ callId: 'c2', batchId: 'b2', summary: '' })]);
    journal.append([settled('c2', { cpuMs: 1e-7 })]);
    journal.close();
    expect(await verify(folder)).toMatchObject({ ok: true });
  });

  it('finds an older copy of the whole database, and finds it still after more was recorded', async () => {
    const folder = testFolder();
    written(folder);
    const file = join(folder, 'journal.db');
    copyFileSync(file, `${file}.old`);
    const journal = openTestJournal(folder);
    journal.append([batchReceived('b4'), ...started({ callId: 'c4', batchId: 'b4' })]);
    journal.close();
    copyFileSync(`${file}.old`, file);
    expect(await verify(folder)).toMatchObject({ ok: false, firstBad: 19 });
    const again = openTestJournal(folder);
    for (let n = 5; n < 9; n += 1) {
      again.append([batchReceived(`b${n}`), ...started({ callId: `c${n}`, batchId: `b${n}` })]);
    }
    again.close();
    expect(await verify(folder)).toMatchObject({ ok: false, firstBad: 23 });
  });

  it('finds a signed head that was taken away, forged, or signed by another key', async () => {
    const folder = testFolder();
    written(folder);
    const head = join(folder, 'audit-head.json');
    const text = readFileSync(head, 'utf8');
    rmSync(head);
    expect(await verify(folder)).toMatchObject({ ok: false, reason: expect.stringContaining('missing') as string });
    openTestJournal(folder).close();
    expect(existsSync(head)).toBe(false);
    writeFileSync(head, text.replace('"seq":18', '"seq":12'));
    expect(await verify(folder)).toMatchObject({ ok: false, reason: expect.stringContaining('not signed') as string });
    writeFileSync(head, text);
    expect(await verify(folder)).toMatchObject({ ok: true, signed: true });
    const stranger: HeadSigner = { ...testSigner, verify: () => false };
    expect(await verify(folder, stranger)).toMatchObject({ ok: false });
  });

  it('says that nothing was signed where there is no key store', async () => {
    const folder = testFolder();
    const none: HeadSigner = { ...testSigner, available: false };
    const journal = openTestJournal(folder, { signer: none });
    journal.append([batchReceived('b1')]);
    journal.close();
    expect(await verify(folder, none)).toMatchObject({ ok: true, events: 1, signed: false });
    // A key store that comes later signs from then on, and what was before is said, in the chain, not to be.
    openTestJournal(folder).close();
    expect(await verify(folder)).toMatchObject({ ok: true, events: 2, signed: true, unsigned: [{ from: 1, to: 1 }] });
  });

  it('is ok while the app goes on recording', async () => {
    const folder = testFolder();
    const journal = openTestJournal(folder);
    const reader = openTestReader(folder);
    const verdicts: Promise<AuditVerdict>[] = [];
    for (let n = 0; n < 30; n += 1) {
      journal.append([batchReceived(`b${n}`), ...started({ callId: `c${n}`, batchId: `b${n}` })]);
      verdicts.push(reader.verify());
      journal.append([settled(`c${n}`)]);
    }
    for (const verdict of await Promise.all(verdicts)) expect(verdict).toMatchObject({ ok: true });
    await reader.close();
    journal.close();
  });
});

describe('the chain', () => {
  it('is guarded by triggers', () => {
    const folder = testFolder();
    written(folder);
    const db = new Database(join(folder, 'journal.db'));
    expect(() => db.exec('DELETE FROM events WHERE seq = 18')).toThrow('never deleted');
    expect(() => db.exec("UPDATE events SET body = '{}' WHERE seq = 3")).toThrow('never changed');
    expect(() => db.exec('UPDATE events SET body = NULL WHERE seq = 3')).toThrow('never changed');
    expect(() => db.exec("INSERT INTO events (seq, body, hash) VALUES (40, '{}', x'00')")).toThrow('at the end');
    db.close();
  });

  it('holds no arguments, results or secrets', () => {
    const folder = testFolder();
    const journal = openTestJournal(folder);
    const token = `ghp_${'a1B2'.repeat(9)}`;
    journal.append([batchReceived('b1'), ...started({ callId: 'c1', batchId: 'b1', arguments: { note: token } })]);
    const message = `It said ${token} and someone@example.org.`;
    journal.append([settled('c1', { content: token }, { code: 'ExecutionFailed', message })]);
    journal.close();
    const db = new Database(join(folder, 'journal.db'), { readonly: true });
    const bodies = db.prepare<[], { body: string }>('SELECT body FROM events').all();
    db.close();
    const text = bodies.map((row) => row.body).join('\n');
    expect(text).not.toContain(token);
    expect(text).not.toContain('someone@example.org');
    expect(text).toContain('"redacted":2');
  });
});
