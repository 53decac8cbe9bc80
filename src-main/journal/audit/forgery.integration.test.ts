import { cpSync, mkdirSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { testFolder } from '../writing/journal.test-support.js';
import { Kept, record, session, tamper, replaceBy } from './forgery.test-support.js';

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

  it('trust in a folder, given or taken away, is found where nobody said so', async () => {
    const folder = testFolder();
    await session(folder, null, (journal) => {
      journal.append([{ type: 'folder-trusted', workspace: '/one', trusted: true }]);
      journal.append([{ type: 'folder-trusted', workspace: '/other', trusted: true }]);
      journal.append([{ type: 'folder-trusted', workspace: '/other', trusted: false }]);
    });
    const trust = (sql: string) => tamper(folder, (db) => db.exec(sql), true);
    for (const [change, back, path] of [
      [
        "INSERT INTO trusted_folders VALUES ('/other')",
        "DELETE FROM trusted_folders WHERE workspace = '/other'",
        '/other',
      ],
      ['DELETE FROM trusted_folders', "INSERT INTO trusted_folders VALUES ('/one')", '/one'],
    ] as const) {
      expect(await session(folder, null)).toMatchObject({ ok: true });
      trust(change);
      expect(await session(folder, null)).toMatchObject({
        ok: false,
        reason: expect.stringContaining(`“${path}”`) as string,
      });
      trust(back);
    }
    expect(await session(folder, null)).toMatchObject({ ok: true });
  });
});
