import Database from 'better-sqlite3';
import { describe, expect, it } from 'vitest';
import { readPage } from '../reading/queries/page.js';
import {
  LATEST_VERSION,
  migrate,
  MIGRATIONS,
  NewerJournalError,
  UnreleasedJournalError,
  readVersion,
} from './migrate.js';

/** A call as the first version has it, settled. */
function addCall(db: Database.Database, id: number): void {
  db.prepare(
    `INSERT INTO batches (id, batchId, door, sessionId, workspace, mode, receivedAt) VALUES (?, ?, 'mcp', 's', '/w', 'enabled', 1)`,
  ).run(id, `b${id}`);
  db.prepare(
    `INSERT INTO calls (id, callId, batch, position, tool, sideEffecting, inputHash, state, settled, summary, capabilities, attempts,
       startedAt, hasChanges, hasOutput)
     VALUES (?, ?, ?, 0, 'read_file', 0, 'h', 'COMPLETED', 1, 'Read it', '[]', 1, 5, 0, 0)`,
  ).run(id, `c${id}`, id);
  db.prepare('INSERT INTO bodies (call, arguments, result) VALUES (?, ?, ?)').run(id, '{}', 'before the move');
}

describe('migrations', () => {
  it('are numbered without a gap', () => {
    const [{ version: first }] = MIGRATIONS;
    expect(MIGRATIONS.map((step) => step.version)).toEqual(MIGRATIONS.map((_, index) => first + index));
  });

  it.each(MIGRATIONS.map((step) => step.version))('bring version %i with data to the latest', (from) => {
    const db = new Database(':memory:');
    migrate(db, from);
    expect(readVersion(db)).toBe(from);
    addCall(db, 1);
    migrate(db);
    expect(readVersion(db)).toBe(LATEST_VERSION);
    expect(db.prepare('SELECT callId, summary FROM calls').all()).toEqual([{ callId: 'c1', summary: 'Read it' }]);
    expect(db.prepare('SELECT result FROM bodies').all()).toEqual([{ result: 'before the move' }]);
    migrate(db);
    expect(readVersion(db)).toBe(LATEST_VERSION);
    db.close();
  });

  it('keep the foreign files of before, of whose contents nothing is known', () => {
    const db = new Database(':memory:');
    migrate(db, 18);
    db.exec("INSERT INTO foreign_files (workspace, path, callId) VALUES ('/w', 'NOTES.md', 'c1')");
    migrate(db);
    expect(db.prepare('SELECT * FROM foreign_files').all()).toEqual([
      { workspace: '/w', path: 'NOTES.md', callId: 'c1', size: null, sha256: null },
    ]);
    db.close();
  });

  it('find calls by the tool that they were of', () => {
    const db = new Database(':memory:');
    migrate(db);
    for (const id of [1, 2, 3]) addCall(db, id);
    db.exec(`UPDATE calls SET toolId = 'gatehouse.read_file', toolVersion = '1.0.0' WHERE id > 1`);
    const find = (filter: string): readonly string[] =>
      readPage(db, { limit: 10, before: null, filter: { tool: filter } }).calls.map(({ callId }) => callId);
    expect(find('gatehouse.read_file')).toEqual(['c3', 'c2']);
    expect(find('gatehouse.*')).toEqual(['c3', 'c2']);
    expect(find('read_file')).toEqual(['c3', 'c2', 'c1']);
    // More than are sorted: then they are found one by one.
    for (let id = 4; id <= 5200; id += 1) addCall(db, id);
    db.exec(`UPDATE calls SET toolId = 'gatehouse.read_file' WHERE id % 2 = 0`);
    db.exec(`UPDATE calls SET toolId = 'other.read_file' WHERE id % 2 = 1`);
    expect(find('gatehouse.*').slice(0, 2)).toEqual(['c5200', 'c5198']);
    db.exec(`UPDATE calls SET toolId = 'gatehouse.read_file' WHERE id <> 5199`);
    expect(find('gatehouse.*').slice(0, 2)).toEqual(['c5200', 'c5198']);
    const plan = db.prepare('EXPLAIN QUERY PLAN SELECT * FROM calls WHERE toolId = ? ORDER BY id DESC').all('a.b');
    expect(plan).toMatchObject([{ detail: expect.stringContaining('calls_tool_id') }]);
    db.close();
  });

  it('refuse a later version, and one of before the first, and leave a failed one as it was', () => {
    for (const [version, refusal] of [
      [LATEST_VERSION + 1, NewerJournalError],
      [MIGRATIONS[0].version - 1, UnreleasedJournalError],
      [1, UnreleasedJournalError],
    ] as const) {
      const db = new Database(':memory:');
      db.pragma(`user_version = ${version}`);
      expect(() => migrate(db)).toThrow(refusal);
      expect(readVersion(db)).toBe(version);
      db.close();
    }
    const broken = new Database(':memory:');
    broken.exec('CREATE TABLE batches (a)');
    expect(() => migrate(broken)).toThrow('already exists');
    expect(readVersion(broken)).toBe(0);
    expect(broken.prepare("SELECT name FROM sqlite_master WHERE type = 'table'").all()).toEqual([{ name: 'batches' }]);
    broken.close();
  });
});
