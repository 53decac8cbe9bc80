import { cpSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type Database from 'better-sqlite3';
import { describe, expect, it } from 'vitest';
import { bodyHash, canonicalJson, chainHash } from './chain.js';
import { testFolder } from '../writing/journal.test-support.js';
import { systemClock, testSigner } from '../writing/journal-samples.test-support.js';
import { digestEvents } from '../writing/retention.js';
import { Kept, record, session, tamper, replaceBy } from './forgery.test-support.js';

function lastEvent(db: Database.Database): { seq: number; hash: Uint8Array } {
  const row = db.prepare<[], { seq: number; hash: Uint8Array }>('SELECT seq, hash FROM events ORDER BY seq DESC').get();
  if (row === undefined) throw new Error('There are no events.');
  return row;
}

function addEvent(db: Database.Database, content: Readonly<Record<string, unknown>>): number {
  const last = lastEvent(db);
  const seq = last.seq + 1;
  const body = canonicalJson({ ...content, seq, eventId: 'x', timestamp: 1 });
  const hash = chainHash(last.hash, bodyHash(body));
  db.prepare('INSERT INTO events (seq, body, hash) VALUES (?, ?, ?)').run(seq, body, hash);
  return seq;
}

/** M6 (b): one call becomes a tombstone, with nothing but what the triggers allow. */
function forgeRetention(db: Database.Database, id: number): void {
  const events = db
    .prepare<[number], { seq: number; hash: Uint8Array; body: string }>(
      'SELECT * FROM events WHERE call = ? ORDER BY seq',
    )
    .all(id);
  const seq = addEvent(db, {
    type: 'retention',
    details: { calls: 1, events: events.length, digest: digestEvents(events) },
  });
  const erase = db.prepare('UPDATE events SET body = NULL, erasedHash = ?, erasedBy = ? WHERE seq = ?');
  for (const event of events) erase.run(bodyHash(event.body), seq, event.seq);
  db.exec(`DELETE FROM bodies WHERE call = ${id}; DELETE FROM calls WHERE id = ${id}`);
}

describe('Nothing is added to the end without the key', () => {
  it.each([true, false])('a forged erasure is found (outside store: %s)', async (hasStore) => {
    const folder = testFolder();
    const outside = hasStore ? new Kept().at(folder) : null;
    await session(folder, outside, (journal) => record(journal, 1, 2, 3));
    tamper(folder, (db) => forgeRetention(db, 2), true);
    for (const start of [1, 2]) {
      const verdict = await session(folder, outside, (journal) => record(journal, start + 10));
      expect(verdict, `start ${start}`).toMatchObject({ ok: false });
      expect(verdict).toHaveProperty('reason', expect.stringContaining('erased by somebody else'));
    }
  });

  it('other events that were added are said to carry no signature; a made-up signature is found', async () => {
    const folder = testFolder();
    await session(folder, null, (journal) => record(journal, 1));
    tamper(folder, (db) => addEvent(db, { type: 'batch-received', batchId: 'never' }), true);
    expect(await session(folder, null)).toMatchObject({ ok: true, unsigned: [{ from: 8, to: 8 }] });
    tamper(folder, (db) => {
      const seq = addEvent(db, { type: 'batch-received', batchId: 'never' });
      db.prepare('UPDATE events SET mac = ? WHERE seq = ?').run(Buffer.alloc(32, 7), seq);
    });
    const verdict = await session(folder, null);
    expect(verdict).toMatchObject({ ok: false, firstBad: 10 });
  });

  describe.each([true, false])('a made-up signature at the end (the system’s store is there: %s)', (hasStore) => {
    const addForged = (folder: string, behind: number): void =>
      tamper(folder, (db) => {
        const seq = addEvent(db, { type: 'batch-received', batchId: 'never' });
        db.prepare('UPDATE events SET mac = ? WHERE seq = ?').run(Buffer.alloc(32, 7), seq);
        for (let left = behind; left > 0; left -= 1) addEvent(db, { type: 'batch-received', batchId: 'never' });
      });

    it.each([0, 2])('is found also after more was recorded, and over restarts (%i more behind it)', async (behind) => {
      const folder = testFolder();
      const outside = hasStore ? new Kept().at(folder) : null;
      await session(folder, outside, (journal) => record(journal, 1, 2));
      const head = readFileSync(join(folder, 'audit-head.json'), 'utf8');
      addForged(folder, behind);
      for (const start of [1, 2, 3]) {
        const verdict = await session(folder, outside, (journal) => {
          record(journal, start + 10);
          expect(journal.erase(Date.now() + 10 ** 12, 10).calls, `start ${start}`).toBe(0);
        });
        expect(verdict, `start ${start}`).toMatchObject({ ok: false, firstBad: 15, acceptable: true });
        expect(readFileSync(join(folder, 'audit-head.json'), 'utf8'), `start ${start}`).toBe(head);
      }
      const accepted = await session(folder, outside, (journal) => journal.accept('the person said so'));
      expect(accepted).toMatchObject({ ok: true, signed: true });
      expect(await session(folder, outside, (journal) => record(journal, 20))).toMatchObject({
        ok: true,
        signed: true,
      });
    });
  });

  it('what was frozen stays so though mark and forged event were taken away: the system’s store knows', async () => {
    const folder = testFolder();
    const outside = new Kept().at(folder);
    await session(folder, outside, (journal) => record(journal, 1));
    const copy = testFolder();
    cpSync(folder, copy, { recursive: true });
    tamper(folder, (db) => {
      const seq = addEvent(db, { type: 'batch-received', batchId: 'never' });
      db.prepare('UPDATE events SET mac = ? WHERE seq = ?').run(Buffer.alloc(32, 7), seq);
    });
    expect(await session(folder, outside)).toMatchObject({ ok: false });
    replaceBy(folder, copy);
    for (const start of [1, 2]) {
      const verdict = await session(folder, outside, (journal) => record(journal, start + 10));
      expect(verdict).toMatchObject({ ok: false, acceptable: true, reason: expect.stringContaining('earlier start') });
    }
    expect(await session(folder, outside, (journal) => journal.accept('the person said so'))).toMatchObject({
      ok: true,
    });
  });

  it('an “unsigned” stretch that somebody else declares does not excuse a forged erasure', async () => {
    const folder = testFolder();
    await session(folder, null, (journal) => record(journal, 1, 2));
    tamper(
      folder,
      (db) => {
        forgeRetention(db, 1);
        addEvent(db, { type: 'unsigned-range', details: { from: 1, to: lastEvent(db).seq } });
      },
      true,
    );
    expect(await session(folder, null)).toMatchObject({ ok: false });
  });

  it('an honest session without the key erases nothing, and is no forgery afterwards', async () => {
    let now = 1_000_000;
    const clock = { ...systemClock, now: () => now };
    const folder = testFolder();
    const none = { ...testSigner, available: false };
    await session(folder, null, (journal) => record(journal, 1), { clock });
    now += 10_000_000;
    const without = await session(
      folder,
      null,
      (journal) => {
        record(journal, 2);
        expect(journal.erase(now, 10).calls).toBe(0);
      },
      { clock, signer: none },
    );
    expect(without).toMatchObject({ ok: true, signed: false });
    const withKey = await session(folder, null, (journal) => expect(journal.erase(now, 10).calls).toBe(1), {
      clock,
    });
    expect(withKey).toMatchObject({ ok: true, signed: true, unsigned: [{ from: 8, to: 14 }] });
  });
});
