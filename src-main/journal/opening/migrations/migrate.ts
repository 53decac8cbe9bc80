import type { Database } from 'better-sqlite3';
import type { Redact } from '../../writing/redaction.js';
import { record } from './0001-record.js';
import { search } from './0002-search.js';
import { streamed } from './0003-streamed.js';
import { agent } from './0004-agent.js';
import { signedEvents } from './0005-signed-events.js';
import { redactions } from './0006-redactions.js';
import { asker } from './0007-asker.js';
import { toolIds } from './0008-tool-ids.js';
import type { Migration } from './migration.js';

export const MIGRATIONS: readonly Migration[] = [
  record,
  search,
  streamed,
  agent,
  signedEvents,
  redactions,
  asker,
  toolIds,
];
export const LATEST_VERSION = MIGRATIONS.length;

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

export function versionOf(db: Database): number {
  return db.pragma('user_version', { simple: true }) as number;
}

/** Brings the database up to `target`, one version a transaction. */
export function migrate(db: Database, redact: Redact, target: number = LATEST_VERSION): void {
  const found = versionOf(db);
  if (found > LATEST_VERSION) throw new NewerJournalError(db.name, found);
  for (const step of MIGRATIONS) {
    if (step.version <= found || step.version > target) continue;
    db.transaction(() => {
      step.up(db, redact);
      db.pragma(`user_version = ${step.version}`);
    }).immediate();
  }
}
