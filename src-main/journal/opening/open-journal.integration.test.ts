import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, existsSync, readdirSync, readFileSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { describe, expect, it } from 'vitest';
import { assertDurable, openWriter } from './connection.js';
import { DataFolderInUseError } from './data-lock.js';
import { openServiceReader, openTestJournal, openTestReader, testFolder } from '../writing/journal.test-support.js';
import { batchReceived, settled, started } from '../writing/journal-samples.test-support.js';
import { LATEST_VERSION, NewerJournalError } from './migrate.js';

const CHILD = new URL('../writing/append-child.test-support.ts', import.meta.url).pathname;

function write(folder: string, calls: number): void {
  const journal = openTestJournal(folder);
  for (let n = 0; n < calls; n += 1) {
    journal.append([batchReceived(`b${n}`), ...started({ callId: `c${n}`, batchId: `b${n}` })]);
    journal.append([settled(`c${n}`, { content: `result ${n} ${'word '.repeat(200)}` })]);
  }
  journal.close();
}

describe('opening', () => {
  it('is durable, and its files are this person’s only', () => {
    const folder = testFolder();
    const db = openWriter(join(folder, 'x.db'));
    db.exec('CREATE TABLE t (a); INSERT INTO t VALUES (1)');
    expect(() => assertDurable(db)).not.toThrow();
    for (const name of ['x.db', 'x.db-wal', 'x.db-shm']) expect(statSync(join(folder, name)).mode & 0o777).toBe(0o600);
    db.pragma('synchronous = NORMAL');
    expect(() => assertDurable(db)).toThrow('synchronous=1');
    db.close();
  });

  it('refuses a second process on the folder, and lets it in when the first is dead', async () => {
    const folder = testFolder();
    const child = spawn(process.execPath, [CHILD, folder, 'a', '1', 'stay'], {
      env: { ...process.env, ELECTRON_RUN_AS_NODE: '1' },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    await once(child.stdout, 'readable');
    expect(() => openTestJournal(folder)).toThrow(DataFolderInUseError);
    child.kill('SIGKILL');
    await once(child, 'exit');
    openTestJournal(folder).close();
    const mine = openTestJournal(folder);
    expect(() => openTestJournal(folder)).toThrow(/Another Gatehouse uses the data folder .* --data-dir/u);
    mine.close();
  });

  it('refuses a journal from a newer version and changes nothing', () => {
    const folder = testFolder();
    write(folder, 1);
    const file = join(folder, 'journal.db');
    const db = new Database(file);
    db.pragma(`user_version = ${LATEST_VERSION + 1}`);
    db.close();
    const before = readFileSync(file);
    expect(() => openTestJournal(folder)).toThrow(NewerJournalError);
    expect(() => openTestJournal(folder)).toThrow(/newer Gatehouse .* Nothing was changed/u);
    expect(readFileSync(file).equals(before)).toBe(true);
    expect(readdirSync(folder)).not.toContain('damaged');
  });

  it('puts aside what is no database, whole, and says where', () => {
    const folder = testFolder();
    const file = join(folder, 'journal.db');
    const rubbish = 'not a database at all '.repeat(500);
    writeFileSync(file, rubbish);
    const journal = openTestJournal(folder);
    const aside = journal.movedAside;
    expect(aside?.reason).toContain('not a database');
    expect(readFileSync(join(aside?.folder ?? '', 'journal.db'), 'utf8')).toBe(rubbish);
    journal.append([batchReceived('b')]);
    journal.close();
    const again = openTestJournal(folder);
    expect(again.movedAside).toBeNull();
    again.close();
  });

  it('never takes a journal for whole that was cut at any page', async () => {
    const folder = testFolder();
    write(folder, 60);
    const file = join(folder, 'journal.db');
    const pages = statSync(file).size / 4096;
    expect(pages).toBeGreaterThan(40);
    for (let page = 0; page < pages; page += 1) {
      const cut = testFolder();
      for (const name of ['journal.db', 'audit-head.json']) copyFileSync(join(folder, name), join(cut, name));
      truncateSync(join(cut, 'journal.db'), page * 4096);
      const journal = openTestJournal(cut);
      const { verify, service } = openServiceReader(cut);
      const verdict = await verify();
      // Either it was put aside, or (nothing was left at all) the signed head says what is missing.
      if (journal.movedAside === null) expect(verdict).toMatchObject({ ok: false });
      else expect(existsSync(join(journal.movedAside.folder, 'journal.db'))).toBe(true);
      service.close();
      journal.close();
    }
  });

  it('puts aside at the next start what the check in the background found', async () => {
    const folder = testFolder();
    write(folder, 60);
    const file = join(folder, 'journal.db');
    const db = new Database(file, { readonly: true });
    const page = db
      .prepare<[], number>("SELECT pageno FROM dbstat WHERE name = 'bodies' AND pagetype = 'leaf' LIMIT 1 OFFSET 3")
      .pluck()
      .get();
    db.close();
    const bytes = readFileSync(file);
    bytes.fill(0x5a, (page ?? 0) * 4096 - 4096, (page ?? 0) * 4096 - 2000);
    writeFileSync(file, bytes);
    const journal = openTestJournal(folder);
    expect(journal.movedAside).toBeNull();
    const reader = openTestReader(folder);
    const found = await reader.checkIntegrity();
    expect(found).not.toBeNull();
    journal.declareDamaged(found ?? '');
    expect(journal.health).toMatchObject({ state: 'failed', problem: expect.stringContaining('damaged') as string });
    await reader.close();
    journal.close();
    const next = openTestJournal(folder);
    expect(next.movedAside?.reason).toBe(found);
    expect(next.health.state).toBe('ok');
    next.close();
  });
});
