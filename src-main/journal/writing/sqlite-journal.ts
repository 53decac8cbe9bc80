import type { Database } from 'better-sqlite3';
import type { CallSummary, RevealedCall } from '#contract/vocabulary/calls.js';
import { readRevealed } from './read-revealed.js';
import {
  type CommitReceipt,
  type Journal,
  JournalUnavailableError,
  type OpenBatch,
} from '../../domain/ports/journal.js';
import type { CallFact, JournalEvent } from '../../domain/call/journal-events.js';
import type { Clock } from '../../domain/ports/clock.js';
import { ConversationStore } from '../conversations/conversation-store.js';
import { eraseConversations, mergeSearchWords } from '../conversations/erase-conversations.js';
import { SqliteConversations } from '../conversations/sqlite-conversations.js';
import { StreamedPieces } from '../conversations/streamed-pieces.js';
import type { AliveMark } from '../opening/alive-mark.js';
import { auditAccepted, auditBatch, auditCall, auditGiven, auditProgram } from '../audit/audit-event.js';
import type { AuditEntry, AuditLog, ChainTip } from '../audit/audit-log.js';
import { type BatchRow, type CallEvent, type CallRow, createCallRow, foldCall, toSummary } from './call-row.js';
import { CallStore } from './call-store.js';
import { GivenTexts } from '../given/given-texts.js';
import { requireFullSync } from '../opening/connection.js';
import { type SetAsideJournal, markDamaged } from '../opening/set-aside-journal.js';
import { InvocationStore } from './invocation-store.js';
import { type KeyedDigest, hashWithheld } from './keyed-digests.js';
import { readOpenBatches } from './open-batches.js';
import { maySkipSync } from './may-skip-sync.js';
import { isStorageError, describeProblem } from '../opening/describe-problem.js';
import { Listeners } from '../../platform/listeners.js';
import type { Sealer } from '../../domain/ports/sealing.js';
import type { Redactor } from '../../domain/ports/redactor.js';
import type { Redact } from './redaction.js';
import { SearchQueue } from './search-queue.js';
import { eraseCalls, type ErasedCalls, type ErasureCursor } from './retention.js';
import type { ExternalHeadKeeper, ExternalHeadState } from '../audit/external-head.js';
import type { HeadKeeper } from '../audit/signed-head.js';

const PROBE_MS = 1000;
/** The wait for callers who ask whether the history is whole while a store that was just asked has not answered. */
const ANSWER_LIMIT_MS = 20_000;

export interface JournalDeps {
  readonly db: Database;
  readonly dataDir: string;
  readonly clock: Clock;
  readonly redact: Redact;
  readonly sealer: Sealer;
  readonly log: AuditLog;
  readonly digest: KeyedDigest;
  readonly kept: ExternalHeadKeeper;
  /** How long calls are to be kept that are recorded now. */
  readonly keepDays: () => number | null;
  readonly head: HeadKeeper;
  readonly alive: AliveMark;
  readonly unlock: () => void;
  readonly movedAside: SetAsideJournal | null;
  /**
   * Takes errors beside an append, which must not make it look failed: a listener that throws, the last signed head.
   */
  readonly onSideError: (error: unknown) => void;
}

interface AppliedEvent {
  readonly row: CallRow;
  readonly batch: BatchRow;
  /** The hash of all else that is shown of a call that was settled. */
  readonly shownHash: string | null;
}

interface PendingRows {
  readonly calls: Map<string, { row: CallRow; batch: BatchRow }>;
  readonly called: Set<number>;
  readonly audit: AuditEntry[];
  readonly keepDays: number | null;
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
  readonly #store: CallStore;
  readonly #said: ConversationStore;
  readonly #log: AuditLog;
  readonly #search: SearchQueue;
  readonly #write: (events: readonly JournalEvent[], at: number) => { calls: PendingRows['calls']; tip: ChainTip };
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
    this.#store = new CallStore(parts.db, parts.sealer);
    this.#log = parts.log;
    this.#tip = this.#log.tip();
    this.#said = new ConversationStore(parts.db, parts.redact);
    this.given = new GivenTexts(parts.db, parts.clock);
    this.invocations = new InvocationStore({
      db: parts.db,
      digest: (text) => parts.digest('invocation', text),
      now: () => parts.clock.now(),
      lazily: (write) => this.#durably(true, write),
      onCommit: (listener) => this.onCommit((_events, calls) => listener(calls)),
    });
    const write = parts.db.transaction((events: readonly JournalEvent[], at: number) => {
      const pending: PendingRows = { calls: new Map(), called: new Set(), audit: [], keepDays: parts.keepDays() };
      for (const event of events) this.#apply(event, at, pending);
      for (const { row } of pending.calls.values()) this.#store.saveCall(row);
      return { calls: pending.calls, tip: this.#log.add(this.#tip, at, pending.audit) };
    });
    this.#write = (events, at) => write.immediate(events, at);
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
    const { calls, tip } = this.#durably(lazily, () => this.#write(events, this.#parts.clock.now()));
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
      eraseCalls(this.#db, this.#log, this.#tip, this.#parts.clock.now(), { before, limit, after }),
    );
    this.#advance(erased.tip, false);
    return erased;
  }

  /** Forgets one conversation that is due; false where none is. */
  eraseConversation(before: number): boolean {
    if (!this.#parts.head.mayErase) return false;
    const now = this.#parts.clock.now();
    const { conversations, tip } = this.#durably(false, () =>
      eraseConversations(this.#db, this.#log, this.#tip, now, before),
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
    const accept = this.#db.transaction(() => this.#log.add(this.#tip, this.#parts.clock.now(), [entry]));
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

  #apply(event: JournalEvent, at: number, pending: PendingRows): void {
    switch (event.type) {
      case 'batch-received':
        this.#store.addBatch(event, at);
        break;
      case 'batch-discarded':
        this.#store.discardBatch(event.batchId);
        break;
      case 'batch-closed':
        this.#store.closeBatch(event.batchId);
        break;
      case 'text-given':
      case 'texts-forgotten':
      case 'folder-trusted':
      case 'files-looked-through': {
        this.given.apply(event, at);
        const row = this.#rowOf(event, pending);
        pending.audit.push({ call: row?.id ?? null, body: auditGiven(event, row) });
        return undefined;
      }
      case 'program-started':
      case 'program-ended':
        pending.audit.push({ call: null, body: auditProgram(event, this.#parts.redact) });
        return undefined;
      case 'call-received': {
        const declared = this.#declareCall(event, at);
        this.#called(declared.batch, at, pending);
        return this.#keep(event, declared, pending);
      }
      case 'call-hook-after':
        return this.#keep(event, this.#applyAfterEnd(event, pending), pending);
      case 'call-validated':
      case 'call-hook':
      case 'call-awaiting':
      case 'call-edited':
      case 'call-authorized':
      case 'call-queued':
      case 'call-executing':
      case 'call-process':
      case 'call-retrying':
      case 'call-settled':
        return this.#keep(event, this.#foldFact(event, at, pending), pending);
      case 'conversation-begun':
      case 'conversation-changed':
      case 'message-added':
      case 'answer-begun':
      case 'answer-ended': {
        const seq = this.#tip.seq + pending.audit.length + 1;
        pending.audit.push({ call: null, body: this.#said.apply(event, { at, seq, keepDays: pending.keepDays }) });
        return;
      }
      default:
        throw new Error(`The journal knows no event “${(event satisfies never as JournalEvent).type}”.`);
    }
    pending.audit.push({ call: null, body: auditBatch(event) });
  }

  /** The call whose result a text is of: it stands in that call's own timeline. */
  #rowOf(event: JournalEvent, pending: PendingRows): CallRow | null {
    if (event.type !== 'text-given' || event.byCall === null) return null;
    return pending.calls.get(event.byCall)?.row ?? this.#store.call(event.byCall);
  }

  /** A call comes, in a batch of its own or in one that is open: once for all that come together. */
  #called(batch: BatchRow, at: number, pending: PendingRows): void {
    if (pending.called.has(batch.id)) return;
    pending.called.add(batch.id);
    for (const over of this.given.called(batch, at)) pending.audit.push({ call: null, body: auditGiven(over, null) });
  }

  #keep(event: CallEvent, { row, batch, shownHash }: AppliedEvent, pending: PendingRows): void {
    pending.calls.set(event.callId, { row, batch });
    const bodies = auditCall(event, row, batch.batchId, this.#parts.redact, pending.keepDays);
    const shown = { ...(shownHash === null ? {} : { shownHash }), ...hashWithheld(event, this.#parts.digest) };
    for (const body of bodies) pending.audit.push({ call: row.id, body: { ...body, ...shown } });
  }

  #declareCall(event: Extract<JournalEvent, { type: 'call-received' }>, at: number): AppliedEvent {
    const batch = this.#store.batch(event.batchId);
    return { row: this.#store.addCall(createCallRow(event, batch.id, at), event), batch, shownHash: null };
  }

  /** Records an event after a call's end, which changes nothing of the call. */
  #applyAfterEnd({ callId }: Extract<CallEvent, { type: 'call-hook-after' }>, pending: PendingRows): AppliedEvent {
    const known = pending.calls.get(callId);
    const row = known?.row ?? this.#store.call(callId);
    if (row.settled === 0) throw new Error(`Call ${callId} has not ended; call-hook-after can't follow.`);
    return { row, batch: known?.batch ?? this.#store.batchOf(row.batch), shownHash: null };
  }

  #foldFact(event: CallFact, at: number, pending: PendingRows): AppliedEvent {
    const known = pending.calls.get(event.callId);
    const before = known?.row ?? this.#store.call(event.callId);
    const batch = known?.batch ?? this.#store.batchOf(before.batch);
    const folded = foldCall(before, event, at);
    const row = event.type === 'call-edited' ? this.#store.editArguments(folded, event) : folded;
    const shownHash =
      event.type === 'call-settled' ? this.#store.settle(row, batch, event.failure, event.result) : null;
    if (event.type === 'call-settled') this.given.wrote(event, batch.workspace);
    return { row, batch, shownHash };
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

function listSettled(events: readonly JournalEvent[], calls: PendingRows['calls']): readonly number[] {
  return events.flatMap((event) =>
    event.type === 'call-settled' ? [calls.get(event.callId)?.row.id].filter((id) => id !== undefined) : [],
  );
}
