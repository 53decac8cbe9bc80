import { cpSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import type { AuditVerdict } from '#contract/vocabulary/telemetry.js';
import type { SystemStore } from '../../domain/ports/system-store.js';
import { openTestJournal, openTestReader } from '../writing/journal.test-support.js';
import { batchReceived, settled, started, testSigner } from '../writing/journal-samples.test-support.js';
import type { JournalOptions, ExternalStoreOptions } from '../opening/open-journal.js';
import type { SqliteJournal } from '../writing/sqlite-journal.js';

/** The system's store, which no file of ours shows. */
export class Kept implements SystemStore {
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

export const call = (n: number) => [batchReceived(`b${n}`), ...started({ callId: `c${n}`, batchId: `b${n}` })];

export function record(journal: SqliteJournal, ...numbers: readonly number[]): void {
  for (const n of numbers) {
    journal.append(call(n));
    journal.append([settled(`c${n}`, { content: `result ${n}` })]);
    journal.append([{ type: 'batch-closed', batchId: `b${n}` }]);
  }
}

export async function session(
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
export function tamper(folder: string, change: (db: Database.Database) => void, triggers = false): void {
  const db = new Database(join(folder, 'journal.db'));
  if (!triggers) {
    for (const name of ['events_are_never_deleted', 'events_are_never_changed', 'events_only_grow']) {
      db.exec(`DROP TRIGGER ${name}`);
    }
  }
  change(db);
  db.close();
}

export function replaceBy(folder: string, copy: string): void {
  for (const name of readdirSync(folder)) rmSync(join(folder, name), { recursive: true });
  cpSync(copy, folder, { recursive: true });
}
