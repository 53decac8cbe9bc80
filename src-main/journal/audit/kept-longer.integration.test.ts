import type Database from 'better-sqlite3';
import { describe, expect, it } from 'vitest';
import { testFolder } from '../writing/journal.test-support.js';
import { systemClock } from '../writing/journal-samples.test-support.js';
import { record, session, tamper } from './forgery.test-support.js';

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

  it('a call in the place of one that was erased is found', async () => {
    let now = 100 * DAY;
    const clock = { ...systemClock, now: () => now };
    const folder = testFolder();
    const options = { clock, keepDays: () => 1 };
    await session(folder, null, (journal) => record(journal, 1, 2), options);
    const rows = (db: Database.Database, table: string, column: string) =>
      db.prepare<[], Record<string, unknown>>(`SELECT * FROM ${table} WHERE ${column} = 1`).get() ?? {};
    const known: Record<string, unknown>[] = [];
    tamper(folder, (db) => known.push(rows(db, 'calls', 'id'), rows(db, 'bodies', 'call')), true);
    now += 10 * DAY;
    expect(
      await session(folder, null, (journal) => expect(journal.erase(now - DAY, 10).calls).toBe(2), options),
    ).toMatchObject({ ok: true });
    tamper(
      folder,
      (db) => {
        const put = (table: string, row: Record<string, unknown>) => {
          const names = Object.keys(row);
          const places = names.map(() => '?').join(', ');
          db.prepare(`INSERT INTO ${table} (${names.join(', ')}) VALUES (${places})`).run(...Object.values(row));
        };
        put('calls', { ...known[0], summary: 'Something that never was' });
        put('bodies', { ...known[1], result: 'nobody said this' });
      },
      true,
    );
    expect(await session(folder, null, undefined, options)).toMatchObject({
      ok: false,
      reason: expect.stringContaining('c1 was erased') as string,
    });
  });
});
