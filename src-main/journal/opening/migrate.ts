import type { Database } from 'better-sqlite3';
import type { Redact } from '../writing/redaction.js';
import { record } from './migrations/0001-record.js';
import { search } from './migrations/0002-search.js';
import { streamed } from './migrations/0003-streamed.js';
import { agent } from './migrations/0004-agent.js';
import { signedEvents } from './migrations/0005-signed-events.js';
import { redactions } from './migrations/0006-redactions.js';
import { asker } from './migrations/0007-asker.js';
import { toolIds } from './migrations/0008-tool-ids.js';
import { natures } from './migrations/0009-natures.js';
import { sealedResults } from './migrations/0010-sealed-results.js';
import { repeats } from './migrations/0011-repeats.js';
import { callsByRule } from './migrations/0012-calls-by-rule.js';
import { whatCameOfIt } from './migrations/0013-what-came-of-it.js';
import { conversations } from './migrations/0014-conversations.js';
import { givenTexts } from './migrations/0015-given-texts.js';
import { invocations } from './migrations/0016-invocations.js';
import { saidTexts } from './migrations/0017-said-texts.js';
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
  natures,
  sealedResults,
  repeats,
  callsByRule,
  whatCameOfIt,
  conversations,
  givenTexts,
  invocations,
  saidTexts,
];
export const LATEST_VERSION = MIGRATIONS.at(-1)?.version ?? 0;

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
