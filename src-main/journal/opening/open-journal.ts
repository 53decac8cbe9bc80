import { existsSync, mkdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Database } from 'better-sqlite3';
import { JournalUnavailableError } from '../../domain/ports/journal.js';
import type { Clock } from '../../domain/ports/clock.js';
import { AliveMark } from './alive-mark.js';
import { AuditLog } from '../audit/audit-log.js';
import { assertDurable, JOURNAL_FILE, openWriter } from './connection.js';
import { readDamageMark, type SetAsideJournal, setAsideJournal } from './set-aside-journal.js';
import { lockDataFolder } from './data-lock.js';
import { migrate } from './migrate.js';
import { isCorrupt, isStorageError, describeProblem } from './describe-problem.js';
import type { Sealer } from '../../domain/ports/sealing.js';
import { redactForRecord } from '../writing/redaction.js';
import type { SystemStore } from '../../domain/ports/system-store.js';
import type { HeadSigner } from '../audit/head-signing.js';
import { ExternalHeadKeeper } from '../audit/external-head.js';
import { HeadKeeper } from '../audit/signed-head.js';
import { keyedDigests } from '../writing/keyed-digests.js';
import { SqliteJournal } from '../writing/sqlite-journal.js';

export interface JournalOptions {
  readonly dataDir: string;
  readonly clock: Clock;
  /** Where there is no key store, one that is not `available`. */
  readonly signer: HeadSigner;
  /** Seals whole arguments that hold secrets. Where there is no key store, one that is not `available`. */
  readonly sealer: Sealer;
  /** Where the last signed number is kept outside the data folder. Without one, `verify` says what it can't tell. */
  readonly outside?: ExternalStoreOptions;
  /** How long calls are to be kept that are recorded now: it stands with each. */
  readonly keepDays?: () => number;
  /** A commit or health listener that threw, or a last signed head that could not be written. */
  readonly onSideError: (error: unknown) => void;
}

export interface ExternalStoreOptions {
  /** Null where the system has none; `missing` says so in plain words. */
  readonly store: SystemStore | null;
  readonly missing: string;
  /** The data folder as it was asked for. */
  readonly folder: string;
  /** Called, in plain words, when a number that was kept is no longer kept. */
  readonly onTrouble: (words: string) => void;
}

const NOTHING_OUTSIDE = 'Nothing is kept outside the data folder.';

/** How many of the last events are looked at when opening. The rest is checked off the main thread. */
const TAIL_EVENTS = 50;

class DamagedError extends Error {}

/**
 * Throws DataFolderInUseError, NewerJournalError, UnreleasedJournalError or JournalUnavailableError, each with what to do; a damaged journal
 * is put aside (`movedAside` says where) and a new one begun.
 */
export function openJournal(options: JournalOptions): SqliteJournal {
  const { dataDir, clock } = options;
  const file = join(dataDir, JOURNAL_FILE);
  let unlock: (() => void) | null = null;
  try {
    mkdirSync(dataDir, { recursive: true, mode: 0o700 });
    unlock = lockDataFolder(dataDir);
    const { db, movedAside } = openOrSetAside(options, file);
    try {
      const alive = new AliveMark(dataDir, clock);
      const log = new AuditLog(db, options.signer);
      const { outside } = options;
      const kept = new ExternalHeadKeeper({
        db,
        clock,
        store: outside?.store ?? null,
        missing: outside?.missing ?? NOTHING_OUTSIDE,
        folder: outside?.folder ?? dataDir,
        onTrouble: (words) => outside?.onTrouble(words),
      });
      const head = new HeadKeeper(dataDir, options.signer, kept);
      head.begin(db, log, clock.now());
      return new SqliteJournal({
        db,
        log,
        digest: keyedDigests(dataDir, options.signer),
        kept,
        keepDays: () => options.keepDays?.() ?? null,
        dataDir,
        clock,
        redact: redactForRecord,
        sealer: options.sealer,
        head,
        alive,
        unlock,
        movedAside,
        onSideError: options.onSideError,
      });
    } catch (error) {
      db.close();
      throw error;
    }
  } catch (error) {
    unlock?.();
    throw isStorageError(error) ? new JournalUnavailableError(describeProblem(error, file)) : error;
  }
}

function openOrSetAside(options: JournalOptions, file: string): { db: Database; movedAside: SetAsideJournal | null } {
  const { dataDir, clock } = options;
  const known = readDamageMark(dataDir);
  if (known === null) {
    try {
      return { db: openChecked(file, options), movedAside: null };
    } catch (error) {
      if (!(error instanceof DamagedError) && !isCorrupt(error)) throw error;
      const movedAside = setAsideJournal(dataDir, file, (error as Error).message, clock.now());
      return { db: openChecked(file, options), movedAside };
    }
  }
  const movedAside = setAsideJournal(dataDir, file, known, clock.now());
  return { db: openChecked(file, options), movedAside };
}

function openChecked(file: string, options: JournalOptions): Database {
  const existed = existsSync(file) && statSync(file).size > 0;
  const db = openWriter(file);
  try {
    migrate(db);
    if (existed) {
      checkSize(db, file);
      checkTail(db);
    }
    db.prepare(
      "INSERT INTO marks (name, value) VALUES ('opened', ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value",
    ).run(String(options.clock.now()));
    assertDurable(db);
    return db;
  } catch (error) {
    db.close();
    throw error;
  }
}

/** A file that was cut short is seen at once, whatever its size. The WAL is bounded, and so is moving it in. */
function checkSize(db: Database, file: string): void {
  const [checkpoint] = db.pragma('wal_checkpoint(TRUNCATE)') as readonly { readonly busy: number }[];
  if (checkpoint?.busy !== 0) return;
  const expected = Number(db.pragma('page_count', { simple: true })) * Number(db.pragma('page_size', { simple: true }));
  const actual = statSync(file).size;
  if (actual < expected) throw new DamagedError(`The file has ${actual} bytes where ${expected} should be.`);
}

/** Reading the end touches the pages that the next append builds on; damage there shows now rather than then. */
function checkTail(db: Database): void {
  db.prepare('SELECT sum(length(body)) FROM (SELECT body FROM events ORDER BY seq DESC LIMIT ?)').get(TAIL_EVENTS);
  db.prepare('SELECT count(*) FROM (SELECT * FROM calls ORDER BY id DESC LIMIT ?)').get(TAIL_EVENTS);
}
