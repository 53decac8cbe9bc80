import { closeSync, openSync } from 'node:fs';
import Database from 'better-sqlite3';

export const JOURNAL_FILE = 'journal.db';

/** The one connection that writes. Its files can be read by this person only. */
export function openWriter(file: string): Database.Database {
  // Made by us first, so that it (and the WAL, which takes its mode) never exists with wider permissions.
  closeSync(openSync(file, 'a', 0o600));
  const db = new Database(file, { timeout: 2000 });
  try {
    db.pragma('journal_mode = WAL');
    requireFullSync(db);
    // On macOS fsync alone leaves data in the drive's cache. Nothing elsewhere.
    db.pragma('fullfsync = ON');
    db.pragma('checkpoint_fullfsync = ON');
    db.pragma('foreign_keys = ON');
    db.pragma('trusted_schema = OFF');
  } catch (error) {
    db.close();
    throw error;
  }
  return db;
}

/** Sets full sync: this build of SQLite falls back to NORMAL in WAL mode unless told otherwise after WAL is on. */
export function requireFullSync(db: Database.Database): void {
  db.pragma('synchronous = FULL');
}

/** Checks the sync mode after a write, when the fall-back would have happened. */
export function assertDurable(db: Database.Database): void {
  const mode = String(db.pragma('journal_mode', { simple: true }));
  const synchronous = Number(db.pragma('synchronous', { simple: true }));
  if (mode !== 'wal' || synchronous !== 2) {
    throw new Error(`The journal would not be durable here: journal_mode=${mode}, synchronous=${synchronous}.`);
  }
}

/** Opens the journal for reading beside the writer, on another thread. */
export function openReadOnly(file: string): Database.Database {
  const db = new Database(file, { readonly: true, fileMustExist: true, timeout: 5000 });
  db.pragma('query_only = ON');
  db.pragma('trusted_schema = OFF');
  return db;
}
