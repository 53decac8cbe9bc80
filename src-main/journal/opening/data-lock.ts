import { closeSync, openSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { isLocked } from './describe-problem.js';

/** The error of a data folder that another process uses. */
export class DataFolderInUseError extends Error {
  constructor(dataDir: string) {
    super(
      `Another Gatehouse uses the data folder ${dataDir}. Close it, or start this one with another --data-dir. Nothing was changed.`,
    );
    this.name = 'DataFolderInUseError';
  }
}

/**
 * Locks the data folder for one process, by SQLite's own file lock on an empty database: it works on every system, and
 * the kernel takes it back however the process ends, so that there are no stale locks to clean up.
 */
export function lockDataFolder(dataDir: string): () => void {
  const file = join(dataDir, 'journal.lock');
  closeSync(openSync(file, 'a', 0o600));
  const db = new Database(file, { timeout: 0 });
  try {
    db.pragma('journal_mode = MEMORY');
    db.exec('BEGIN EXCLUSIVE');
  } catch (error) {
    db.close();
    throw isLocked(error) ? new DataFolderInUseError(dataDir) : error;
  }
  return () => {
    db.close();
  };
}
