import type { Database } from 'better-sqlite3';
import { JournalUnavailableError } from '../../domain/ports/journal.js';
import type { Redact } from './redaction.js';
import { buildIndexText, type SearchableCall } from './search-text.js';

/** How long a settled call may wait until search finds it by itself; who searches does not wait. */
const INDEX_DELAY_MS = 250;
/** So many at once hold the main thread up for a few milliseconds. */
const BATCH_SIZE = 32;
const INDEXED_MARK = 'searched-up-to';

export interface SearchQueueDeps {
  readonly db: Database;
  readonly redact: Redact;
  /** Runs a transaction of the journal's that nobody waits for. */
  readonly write: (work: () => void) => void;
  readonly onSideError: (error: unknown) => void;
}

/**
 * Indexes settled calls for search, a moment after them and many together: their record does not wait for it. A mark in
 * the same transaction says up to which event it is done; what a crash left undone is found from there.
 */
export class SearchQueue {
  readonly #parts: SearchQueueDeps;
  readonly #statements;
  readonly #waiting = new Set<number>();
  /** The last event that is in the journal, and the one that the mark names. */
  #tip: number;
  #marked: number;
  #soon: NodeJS.Timeout | undefined;
  #next: NodeJS.Immediate | undefined;

  /** `tip`: the last event that the journal has now. */
  constructor(parts: SearchQueueDeps, tip: number) {
    const { db } = parts;
    this.#parts = parts;
    this.#statements = {
      call: db.prepare<[number], IndexedCall>(
        `SELECT c.id, c.tool, c.summary, c.reason, b.arguments, b.result, b.changedFiles
         FROM calls c JOIN bodies b ON b.call = c.id WHERE c.id = ?`,
      ),
      add: db.prepare(
        'INSERT INTO calls_text (rowid, tool, arguments, result, files, reason) VALUES (?, ?, ?, ?, ?, ?)',
      ),
      mark: db.prepare<[string]>(
        `INSERT INTO marks (name, value) VALUES ('${INDEXED_MARK}', ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value`,
      ),
    };
    this.#tip = tip;
    const marked = db.prepare<[], { value: string }>(`SELECT value FROM marks WHERE name = '${INDEXED_MARK}'`).get();
    this.#marked = Number(marked?.value ?? 0);
    this.#findUndone();
  }

  /** Committed: these were settled, and this is the last event now. */
  note(settled: readonly number[], tip: number): void {
    this.#tip = tip;
    for (const call of settled) this.#waiting.add(call);
    if (this.#waiting.size > 0) this.#soon ??= setTimeout(() => this.#scheduleStep(), INDEX_DELAY_MS).unref();
  }

  /**
   * Indexes all that waits: somebody searches, or what is recorded is about to be erased. Throws where nothing can be
   * written.
   */
  catchUp(): void {
    this.#stopWaiting();
    while (this.#waiting.size > 0) this.#indexStep();
  }

  /** Indexes all that waits, so that the next start has nothing to look for; where that can't be written, it looks. */
  end(): void {
    try {
      this.catchUp();
      if (this.#marked < this.#tip) this.#index([]);
    } catch (error) {
      if (!(error instanceof JournalUnavailableError)) this.#parts.onSideError(error);
    }
  }

  #findUndone(): void {
    const undone = this.#parts.db
      .prepare<[number], { id: number }>(
        `SELECT DISTINCT c.id FROM events e JOIN calls c ON c.id = e.call
         WHERE e.seq > ? AND c.settled = 1 AND NOT EXISTS (SELECT 1 FROM calls_text_docsize d WHERE d.id = c.id)`,
      )
      .all(this.#marked);
    this.note(
      undone.map(({ id }) => id),
      this.#tip,
    );
  }

  /** A step in each turn of the event loop, so that calls get theirs. */
  #scheduleStep(): void {
    this.#stopWaiting();
    try {
      this.#indexStep();
    } catch (error) {
      // The gate is closed then; what was not written is written with what comes when it is open again.
      if (!(error instanceof JournalUnavailableError)) this.#parts.onSideError(error);
      return;
    }
    if (this.#waiting.size > 0) this.#next = setImmediate(() => this.#scheduleStep());
  }

  #stopWaiting(): void {
    clearTimeout(this.#soon);
    clearImmediate(this.#next);
    this.#soon = undefined;
    this.#next = undefined;
  }

  #indexStep(): void {
    const calls = takeFirst(this.#waiting, BATCH_SIZE);
    try {
      this.#index(calls);
    } catch (error) {
      if (error instanceof JournalUnavailableError) throw error;
      for (const call of calls) this.#indexAlone(call);
    }
    for (const call of calls) this.#waiting.delete(call);
  }

  /** Indexes one call alone: one that can't be indexed must not keep the others from it. */
  #indexAlone(call: number): void {
    try {
      this.#index([call]);
    } catch (error) {
      if (error instanceof JournalUnavailableError) throw error;
      this.#parts.onSideError(error);
    }
  }

  #index(calls: readonly number[]): void {
    const { db, redact, write } = this.#parts;
    const { call: read, add, mark } = this.#statements;
    // What still waits after this step stands before the mark, if it were the last event.
    const isAll = calls.length === this.#waiting.size;
    write(() =>
      db
        .transaction(() => {
          for (const call of calls) {
            const found = read.get(call);
            if (found !== undefined) add.run(call, ...buildIndexText(found, redact));
          }
          if (isAll) mark.run(String(this.#tip));
        })
        .immediate(),
    );
    if (isAll) this.#marked = this.#tip;
  }
}

function takeFirst<T>(all: Iterable<T>, most: number): readonly T[] {
  const first: T[] = [];
  for (const one of all) {
    if (first.length === most) break;
    first.push(one);
  }
  return first;
}

interface IndexedCall extends SearchableCall {
  readonly id: number;
}
