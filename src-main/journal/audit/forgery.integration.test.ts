import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { describe, expect, it } from 'vitest';
import type { AuditVerdict } from '#contract/vocabulary/telemetry.js';
import type { SystemStore } from '../../domain/ports/system-store.js';
import { bodyHash, canonicalJson, chainHash } from './chain.js';
import { openTestJournal, openTestReader, testFolder } from '../writing/journal.test-support.js';
import { batchReceived, settled, started, systemClock, testSigner } from '../writing/journal-samples.test-support.js';
import type { JournalOptions, ExternalStoreOptions } from '../opening/open-journal.js';
import { digestEvents } from '../writing/retention.js';
import type { SqliteJournal } from '../writing/sqlite-journal.js';

/** The system's store, which no file of ours shows. */
class Kept implements SystemStore {
  readonly values = new Map<string, string>();
  readonly told: string[] = [];
  fails: string | null = null;
  sets = 0;
  async get(name: string): Promise<string | null> {
    if (this.fails !== null) throw new Error(this.fails);
    return this.values.get(name) ?? null;
  }
  async set(name: string, value: string): Promise<void> {
    if (this.fails !== null) throw new Error(this.fails);
    this.sets += 1;
    this.values.set(name, value);
  }
  at(folder: string): ExternalStoreOptions {
    return { store: this, missing: '', folder, onTrouble: (words) => this.told.push(words) };
  }
}

const call = (n: number) => [batchReceived(`b${n}`), ...started({ callId: `c${n}`, batchId: `b${n}` })];

function record(journal: SqliteJournal, ...numbers: readonly number[]): void {
  for (const n of numbers) {
    journal.append(call(n));
    journal.append([settled(`c${n}`, { content: `result ${n}` })]);
    journal.append([{ type: 'batch-closed', batchId: `b${n}` }]);
  }
}

async function session(
  folder: string,
  outside: ExternalStoreOptions | null,
  work: (journal: SqliteJournal) => unknown = () => undefined,
  options: Partial<JournalOptions> = {},
): Promise<AuditVerdict> {
  const journal = openTestJournal(folder, { ...options, ...(outside === null ? {} : { outside }) });
  const reader = openTestReader(folder, options.signer ?? testSigner, () => journal.keptOutside());
  try {
    await journal.keptOutside();
    await work(journal);
    return await reader.verify();
  } finally {
    await reader.close();
    journal.close();
    await journal.toldOutside;
  }
}

/** Changes the closed folder with SQLite; triggers are no obstacle. */
function tamper(folder: string, change: (db: Database.Database) => void, triggers = false): void {
  const db = new Database(join(folder, 'journal.db'));
  if (!triggers) {
    for (const name of ['events_are_never_deleted', 'events_are_never_changed', 'events_only_grow']) {
      db.exec(`DROP TRIGGER ${name}`);
    }
  }
  change(db);
  db.close();
}

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

function cutTail(folder: string): void {
  tamper(folder, (db) => {
    db.exec("DELETE FROM marks WHERE name <> 'journal-id'");
    const from = db.prepare<[], { seq: number }>('SELECT min(seq) AS seq FROM events WHERE call = 3').get()?.seq ?? 0;
    db.exec(
      `DELETE FROM events WHERE seq >= ${from - 1}; DELETE FROM bodies WHERE call >= 3; DELETE FROM calls WHERE id >= 3`,
    );
  });
  rmSync(join(folder, 'audit-head.json'));
}

function replaceBy(folder: string, copy: string): void {
  for (const name of readdirSync(folder)) rmSync(join(folder, name), { recursive: true });
  cpSync(copy, folder, { recursive: true });
}

describe('What proves history does not lie beside it alone', () => {
  it('finds a cut tail though the head and what says that there was one went with it', async () => {
    const folder = testFolder();
    const kept = new Kept();
    expect(await session(folder, kept.at(folder), (journal) => record(journal, 1, 2, 3))).toMatchObject({
      ok: true,
      signed: true,
      olderCopy: { told: true },
    });
    cutTail(folder);
    for (const start of [1, 2]) {
      const verdict = await session(folder, kept.at(folder));
      expect(verdict, `start ${start}`).toMatchObject({ ok: false, acceptable: true });
    }
  });

  it('finds it without a store too, by the signatures that remain', async () => {
    const folder = testFolder();
    await session(folder, null, (journal) => record(journal, 1, 2, 3));
    cutTail(folder);
    expect(await session(folder, null)).toMatchObject({ ok: false, reason: expect.stringContaining('head') as string });
  });

  it('says which part carries no signature where head, marks and signatures were all taken away, and nothing is kept outside', async () => {
    const folder = testFolder();
    await session(folder, null, (journal) => record(journal, 1, 2, 3));
    cutTail(folder);
    tamper(folder, (db) => db.exec('UPDATE events SET mac = NULL'), true);
    const { seq } = await session(folder, null).then((verdict) => ({ verdict, seq: verdict.ok ? verdict.events : 0 }));
    expect(await session(folder, null)).toMatchObject({
      ok: true,
      unsigned: [{ from: 1, to: seq - 1 }],
      olderCopy: { told: false, words: expect.stringContaining('can’t be told') as string },
    });
  });

  it('finds an older copy of the whole folder, head and all, at its place, through a link, and elsewhere', async () => {
    const folder = testFolder();
    const kept = new Kept();
    await session(folder, kept.at(folder), (journal) => record(journal, 1));
    const copy = join(testFolder(), 'copy');
    cpSync(folder, copy, { recursive: true });
    await session(folder, kept.at(folder), (journal) => record(journal, 2));
    const whole = join(testFolder(), 'whole');
    cpSync(folder, whole, { recursive: true });

    expect(await session(copy, kept.at(copy))).toMatchObject({ ok: false, acceptable: true });
    replaceBy(folder, copy);
    expect(await session(folder, kept.at(folder))).toMatchObject({ ok: false });
    // It goes on, past the number that is known, and is found all the same.
    expect(await session(folder, kept.at(folder), (journal) => record(journal, 3, 4, 5))).toMatchObject({ ok: false });
    rmSync(folder, { recursive: true });
    symlinkSync(copy, folder);
    expect(await session(folder, kept.at(folder))).toMatchObject({ ok: false });
    rmSync(folder);
    mkdirSync(folder);
    replaceBy(folder, whole);
    expect(await session(folder, kept.at(folder))).toMatchObject({ ok: true, olderCopy: { told: true } });
  });

  it('finds a folder that was emptied and begun anew, also under a made-up name', async () => {
    const folder = testFolder();
    const kept = new Kept();
    await session(folder, kept.at(folder), (journal) => record(journal, 1, 2));
    replaceBy(folder, testFolder());
    expect(await session(folder, kept.at(folder), (journal) => record(journal, 1, 2, 3))).toMatchObject({ ok: false });
    tamper(folder, (db) => db.exec("UPDATE marks SET value = 'made up' WHERE name = 'journal-id'"));
    expect(await session(folder, kept.at(folder))).toMatchObject({ ok: false });
  });

  it('lets a whole copy go on by itself, and disturbs neither', async () => {
    const [folder, other] = [testFolder(), join(testFolder(), 'other')];
    const kept = new Kept();
    await session(folder, kept.at(folder), (journal) => record(journal, 1));
    cpSync(folder, other, { recursive: true });
    for (const n of [2, 3]) {
      expect(await session(other, kept.at(other), (journal) => record(journal, n, n + 10))).toMatchObject({ ok: true });
      expect(await session(folder, kept.at(folder), (journal) => record(journal, n))).toMatchObject({ ok: true });
    }
  });

  it('knows a folder under each of its names', async () => {
    const folder = testFolder();
    const link = join(testFolder(), 'link');
    symlinkSync(folder, link);
    const kept = new Kept();
    await session(folder, kept.at(folder), (journal) => record(journal, 1));
    const copy = join(testFolder(), 'copy');
    cpSync(folder, copy, { recursive: true });
    expect(await session(folder, kept.at(link), (journal) => record(journal, 2))).toMatchObject({ ok: true });
    replaceBy(folder, copy);
    expect(await session(folder, kept.at(folder))).toMatchObject({ ok: false });
    expect(await session(folder, kept.at(link))).toMatchObject({ ok: false });
  });

  it('takes an older copy for what it is once the person accepted it, and says so in the chain', async () => {
    const folder = testFolder();
    const kept = new Kept();
    await session(folder, kept.at(folder), (journal) => record(journal, 1));
    const copy = join(testFolder(), 'copy');
    cpSync(folder, copy, { recursive: true });
    await session(folder, kept.at(folder), (journal) => record(journal, 2));
    replaceBy(folder, copy);
    const bad = await session(folder, kept.at(folder));
    expect(bad).toMatchObject({ ok: false, acceptable: true });
    const accepted = await session(folder, kept.at(folder), (journal) => journal.accept('the person said so'));
    expect(accepted).toMatchObject({ ok: true, signed: true, unsigned: [{ from: 1 }], olderCopy: { told: true } });
    expect(await session(folder, kept.at(folder), (journal) => record(journal, 3))).toMatchObject({ ok: true });
    replaceBy(folder, copy);
    expect(await session(folder, kept.at(folder))).toMatchObject({ ok: false });
  });

  it('writes the number beside the appends, not for each, and says what can’t be told while the store is silent', async () => {
    const folder = testFolder();
    const kept = new Kept();
    kept.fails = 'The key store does not answer.';
    const silent = await session(folder, kept.at(folder), (journal) => record(journal, 1));
    expect(silent).toMatchObject({ ok: true, signed: true, olderCopy: { told: false } });
    expect(silent).toHaveProperty('olderCopy.words', expect.stringContaining('does not answer'));
    // It never held anything: that is no news.
    expect(kept.told).toEqual([]);
    kept.fails = null;
    await session(folder, kept.at(folder), (journal) => record(journal, 2, 3, 4, 5));
    expect(kept.sets).toBeLessThan(5);
    kept.fails = 'It is locked.';
    expect(await session(folder, kept.at(folder))).toMatchObject({ ok: true, olderCopy: { told: false } });
    expect(kept.told).toEqual(['It is locked.']);
  });
});

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

describe('Retention', () => {
  const DAY = 24 * 60 * 60_000;

  it('keeps what was promised a longer time, whatever the settings and the rows say later', async () => {
    let now = 100 * DAY;
    const clock = { ...systemClock, now: () => now };
    const folder = testFolder();
    let keepDays = 365;
    const options = { clock, keepDays: () => keepDays };
    await session(folder, null, (journal) => record(journal, 1, 2), options);
    keepDays = 1;
    await session(folder, null, (journal) => record(journal, 3), options);
    now += 30 * DAY;
    tamper(folder, (db) => db.exec('UPDATE calls SET startedAt = 1 WHERE id = 1'), true);
    const verdict = await session(
      folder,
      null,
      (journal) => {
        const erased = journal.erase(now - keepDays * DAY, 10);
        expect(erased).toMatchObject({ calls: 1, next: null });
      },
      options,
    );
    expect(verdict).toMatchObject({ ok: false, reason: expect.stringContaining('shown of call c1') as string });
    now += 400 * DAY;
    await session(folder, null, (journal) => expect(journal.erase(now - DAY, 10).calls).toBe(2), options);
  });

  it('goes on past calls that are to be kept', async () => {
    let now = 100 * DAY;
    const clock = { ...systemClock, now: () => now };
    const folder = testFolder();
    let keepDays = 365;
    const options = { clock, keepDays: () => keepDays };
    await session(
      folder,
      null,
      (journal) => {
        record(journal, ...Array.from({ length: 25 }, (_, n) => n + 1));
        keepDays = 1;
        now += 1;
        record(journal, 26, 27);
        now += 10 * DAY;
        let erased = 0;
        let steps = 0;
        for (let next = journal.erase(now - DAY, 1); ; next = journal.erase(now - DAY, 1, next.next)) {
          erased += next.calls;
          steps += 1;
          if (next.next === null) break;
        }
        expect({ erased, many: steps > 2 }).toEqual({ erased: 2, many: true });
      },
      options,
    );
  });
});
