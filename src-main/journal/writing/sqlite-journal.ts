import type { Database } from 'better-sqlite3';
import type { CallSummary, RevealedCall } from '#contract/vocabulary/calls.js';
import { readRevealed } from './read-revealed.js';
import {
  type CommitReceipt,
  type Journal,
  JournalUnavailableError,
  type OpenBatch,
} from '../../domain/ports/journal.js';
import type { JournalEvent } from '../../domain/call/journal-events.js';
import { eraseConversations, mergeSearchWords } from '../conversations/erase-conversations.js';
import { SqliteConversations } from '../conversations/sqlite-conversations.js';
import { StreamedPieces } from '../conversations/streamed-pieces.js';
import type { AliveMark } from '../opening/alive-mark.js';
import { auditAccepted } from '../audit/audit-event.js';
import type { ChainTip } from '../audit/audit-log.js';
import { toSummary } from './call-row.js';
import { EventWriter, type EventWriterParts, type WrittenEvents } from './event-writer.js';
import { GivenTexts } from '../given/given-texts.js';
import { requireFullSync } from '../opening/connection.js';
import { type SetAsideJournal, markDamaged } from '../opening/set-aside-journal.js';
import { InvocationStore } from './invocation-store.js';
import { readOpenBatches } from './open-batches.js';
import { maySkipSync } from './may-skip-sync.js';
import { isStorageError, describeProblem } from '../opening/describe-problem.js';
import { Listeners } from '../../platform/listeners.js';
import type { Redactor } from '../../domain/ports/redactor.js';
import { SearchQueue } from './search-queue.js';
import { eraseCalls, type ErasedCalls, type ErasureCursor } from './retention.js';
import type { ExternalHeadKeeper, ExternalHeadState } from '../audit/external-head.js';
import type { HeadKeeper } from '../audit/signed-head.js';

const PROBE_MS = 1000;
/** The wait for callers who ask whether the history is whole while a store that was just asked has not answered. */
const ANSWER_LIMIT_MS = 20_000;

export interface JournalDeps extends EventWriterParts {
  readonly dataDir: string;
  readonly kept: ExternalHeadKeeper;
  readonly head: HeadKeeper;
  readonly alive: AliveMark;
  readonly unlock: () => void;
  readonly movedAside: SetAsideJournal | null;
  /**
   * Takes errors beside an append, which must not make it look failed: a listener that throws, the last signed head.
   */
  readonly onSideError: (error: unknown) => void;
}

/** The one writer. What `append` returned for is on the disk. */
export class SqliteJournal implements Journal {
  readonly movedAside: SetAsideJournal | null;
  readonly lastAlive: number | null;
  readonly startedAfterCrash: boolean;
  readonly given: GivenTexts;
  readonly invocations: InvocationStore;
  readonly #parts: JournalDeps;
  readonly #db: Database;
  readonly #writer: EventWriter;
  readonly #search: SearchQueue;
  #streamed: StreamedPieces | null = null;
  readonly #health: Listeners;
  readonly #commits: Listeners<[events: readonly JournalEvent[], calls: readonly CallSummary[]]>;
  #tip: ChainTip;
  #problem: string | null = null;
  #damaged = false;
  #probe: NodeJS.Timeout | null = null;
  #open = true;
  #toldOutside: Promise<void> = Promise.resolve();

  constructor(parts: JournalDeps) {
    this.#parts = parts;
    this.#health = new Listeners(parts.onSideError);
    this.#commits = new Listeners(parts.onSideError);
    this.#db = parts.db;
    this.movedAside = parts.movedAside;
    this.lastAlive = parts.alive.lastAlive;
    this.startedAfterCrash = parts.alive.startedAfterCrash;
    this.#tip = parts.log.tip();
    this.given = new GivenTexts(parts.db, parts.clock);
    this.invocations = new InvocationStore({
      db: parts.db,
      digest: (text) => parts.digest('invocation', text),
      now: () => parts.clock.now(),
      lazily: (write) => this.#durably(true, write),
      onCommit: (listener) => this.onCommit((_events, calls) => listener(calls)),
    });
    this.#writer = new EventWriter(parts, this.given);
    const { db, redact, onSideError } = parts;
    const later = (work: () => void): void => this.#durably(true, work);
    this.#search = new SearchQueue({ db, redact, write: later, onSideError }, this.#tip.seq);
  }

  get health(): Journal['health'] {
    return { state: this.#problem === null ? 'ok' : 'failed', problem: this.#problem };
  }

  onHealthChange(listener: () => void): () => void {
    return this.#health.add(listener);
  }

  onCommit(listener: (events: readonly JournalEvent[], calls: readonly CallSummary[]) => void): () => void {
    return this.#commits.add(listener);
  }

  append(events: readonly JournalEvent[]): CommitReceipt {
    const lazily = events.every(maySkipSync);
    const { calls, tip } = this.#durably(lazily, () => this.#writer.write(events, this.#tip));
    this.#advance(tip, lazily);
    this.#search.note(listSettled(events, calls), tip.seq);
    const summaries = [...calls.values()].map(({ row, batch }) => toSummary(row, batch));
    this.#commits.tell(events, summaries);
    // The one place where the proof of a commit is made.
    return { calls: summaries } as unknown as CommitReceipt;
  }

  /** The system store's knowledge of this history. Waits a little where the store has not answered yet. */
  keptOutside(): Promise<ExternalHeadState> {
    return this.#parts.kept.answered(ANSWER_LIMIT_MS);
  }

  /** Reads what was redacted from a call, as far as it is kept: for the person at the window, and for nobody else. */
  reveal(callId: string): Promise<RevealedCall | null> {
    const { dataDir, sealer } = this.#parts;
    return readRevealed(callId, { db: this.#db, dataDir, sealer });
  }

  /** Opens the record of conversations, without what looks like a secret. Called once. */
  conversations(redactor: Redactor): SqliteConversations {
    const durably = (write: () => void): void => this.#durably(false, write);
    const streamed = new StreamedPieces(this.#db, { clock: this.#parts.clock, redactor, durably });
    this.#streamed = streamed;
    const append = (events: readonly JournalEvent[]): void => void this.append(events);
    const record = new SqliteConversations({
      db: this.#db,
      redactor,
      sealer: this.#parts.sealer,
      streamed,
      append,
      durably,
    });
    this.onCommit((events) => record.committed(events));
    return record;
  }

  /** Prepares for a search: calls that were settled a moment ago are found too. */
  readyForSearch(): void {
    if (this.#problem === null) this.#search.catchUp();
  }

  openBatches(): readonly OpenBatch[] {
    return readOpenBatches(this.#db, this.#parts.sealer);
  }

  /**
   * Forgets at most `limit` finished calls that began before `before` and were not to be kept longer; their audit events
   * become tombstones. `after`: where the step before came to.
   */
  erase(before: number, limit: number, after: ErasureCursor | null = null): ErasedCalls {
    if (!this.#parts.head.mayErase) return { calls: 0, tip: this.#tip, next: null };
    this.#search.catchUp();
    const erased = this.#durably(false, () =>
      eraseCalls(this.#db, this.#parts.log, this.#tip, this.#parts.clock.now(), { before, limit, after }),
    );
    this.#advance(erased.tip, false);
    return erased;
  }

  /** Forgets one conversation that is due; false where none is. */
  eraseConversation(before: number): boolean {
    if (!this.#parts.head.mayErase) return false;
    const now = this.#parts.clock.now();
    const { conversations, tip } = this.#durably(false, () =>
      eraseConversations(this.#db, this.#parts.log, this.#tip, now, before),
    );
    this.#advance(tip, false);
    return conversations > 0;
  }

  /** A step of making sure that search keeps no word of what was said and is forgotten; false when that is done. */
  mergeSearchWords(): boolean {
    return this.#durably(false, () => mergeSearchWords(this.#db));
  }

  /** The person takes this history for the one to go on with: said in the chain, signed anew, and told to the system's store. */
  async accept(because: string): Promise<void> {
    const entry = { call: null, body: auditAccepted(this.#tip.seq, because) };
    const accept = this.#db.transaction(() => this.#parts.log.add(this.#tip, this.#parts.clock.now(), [entry]));
    this.#tip = this.#durably(false, () => accept.immediate());
    await this.#parts.head.accept(this.#tip);
  }

  /** The background check found damage: nothing more is written, and the next start puts this journal aside. */
  declareDamaged(reason: string): void {
    markDamaged(this.#parts.dataDir, reason);
    this.#damaged = true;
    this.#setProblem(
      `The journal ${this.#db.name} is damaged (${reason}). Nothing is run until Gatehouse is started again: it then keeps the damaged journal in a folder of its own and begins a new one.`,
    );
  }

  /**
   * Closes the journal. Everything is on the disk when it returns; for the number in the system's own store,
   * `toldOutside` can be waited for.
   */
  close(): void {
    if (!this.#open) return;
    try {
      this.#streamed?.flush();
    } catch (error) {
      this.#parts.onSideError(error);
    }
    this.#search.end();
    this.#open = false;
    if (this.#probe !== null) clearInterval(this.#probe);
    try {
      this.#toldOutside = this.#parts.head.end();
      this.#parts.alive.end();
    } catch (error) {
      // A disk that fails at the end: everything that was acknowledged is there, and the next start looks closely.
      this.#parts.onSideError(error);
    } finally {
      this.#db.close();
      this.#parts.unlock();
    }
  }

  /** Resolves, after `close`, when the system's store took the last number, or would not in time. */
  get toldOutside(): Promise<void> {
    return this.#toldOutside;
  }

  #durably<T>(lazily: boolean, write: () => T): T {
    if (!this.#open) throw new JournalUnavailableError('The journal is closed: Gatehouse is ending.');
    if (this.#problem !== null) throw new JournalUnavailableError(this.#problem);
    try {
      if (!lazily) return write();
      this.#db.pragma('synchronous = NORMAL');
      try {
        return write();
      } finally {
        requireFullSync(this.#db);
      }
    } catch (error) {
      if (!isStorageError(error)) throw error;
      const problem = describeProblem(error, this.#db.name);
      this.#setProblem(problem);
      throw new JournalUnavailableError(problem);
    }
  }

  #advance(tip: ChainTip, lazily: boolean): void {
    this.#tip = tip;
    if (!lazily) this.#parts.head.note(tip);
  }

  #setProblem(problem: string): void {
    this.#problem = problem;
    this.#probe ??= setInterval(() => this.#probeDisk(), PROBE_MS).unref();
    this.#health.tell();
  }

  /**
   * Probes on the same connection, never a new one: a commit whose sync failed may have left whole frames in the WAL
   * beyond its known end. The probe's own commit overwrites them; opening anew would take them for committed.
   */
  #probeDisk(): void {
    if (this.#damaged) return;
    try {
      this.#db
        .prepare(
          "INSERT INTO marks (name, value) VALUES ('probe', ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value",
        )
        .run(String(this.#parts.clock.now()));
    } catch {
      return;
    }
    if (this.#probe !== null) clearInterval(this.#probe);
    this.#probe = null;
    this.#problem = null;
    this.#health.tell();
  }
}

function listSettled(events: readonly JournalEvent[], calls: WrittenEvents['calls']): readonly number[] {
  return events.flatMap((event) =>
    event.type === 'call-settled' ? [calls.get(event.callId)?.row.id].filter((id) => id !== undefined) : [],
  );
}
