import type { Database } from 'better-sqlite3';
import { record } from './migrations/0018-record.js';
import { foreignContents } from './migrations/0019-foreign-contents.js';
import type { Migration } from './migration.js';

export const MIGRATIONS: readonly [Migration, ...Migration[]] = [record, foreignContents];
const FIRST_VERSION = MIGRATIONS[0].version;
export const LATEST_VERSION = MIGRATIONS.at(-1)?.version ?? FIRST_VERSION;

/** The journal was written by a later Gatehouse. It is left as it is. */
export class NewerJournalError extends Error {
  constructor(file: string, version: number) {
    super(
      `The journal ${file} was written by a newer Gatehouse (format ${version}; this one reads up to ` +
        `${LATEST_VERSION}). Nothing was changed. Update Gatehouse, or start it with another --data-dir.`,
    );
    this.name = 'NewerJournalError';
  }
}

/** The journal was written by a build from before the first release. It is left as it is. */
export class UnreleasedJournalError extends Error {
  constructor(file: string) {
    super(
      `The journal ${file} was written by a build of Gatehouse from before its first release, which this one does not read. ` +
        'Nothing was changed. Start Gatehouse with another --data-dir, or move that folder away.',
    );
    this.name = 'UnreleasedJournalError';
  }
}

export function readVersion(db: Database): number {
  return db.pragma('user_version', { simple: true }) as number;
}

/** Brings the database up to `target`, one version a transaction. */
export function migrate(db: Database, target: number = LATEST_VERSION): void {
  const found = readVersion(db);
  if (found > LATEST_VERSION) throw new NewerJournalError(db.name, found);
  if (found > 0 && found < FIRST_VERSION) throw new UnreleasedJournalError(db.name);
  for (const step of MIGRATIONS) {
    if (step.version <= found || step.version > target) continue;
    db.transaction(() => {
      step.up(db);
      db.pragma(`user_version = ${step.version}`);
    }).immediate();
  }
}
