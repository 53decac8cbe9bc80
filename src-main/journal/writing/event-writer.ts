import type { Database } from 'better-sqlite3';
import type { CallFact, JournalEvent } from '../../domain/call/journal-events.js';
import type { Clock } from '../../domain/ports/clock.js';
import type { Sealer } from '../../domain/ports/sealing.js';
import { auditBatch, auditCall, auditGiven, auditProgram } from '../audit/audit-event.js';
import type { AuditEntry, AuditLog, ChainTip } from '../audit/audit-log.js';
import { ConversationStore } from '../conversations/conversation-store.js';
import type { GivenTexts } from '../given/given-texts.js';
import { type BatchRow, type CallEvent, type CallRow, createCallRow, foldCall } from './call-row.js';
import { CallStore } from './call-store.js';
import { type KeyedDigest, hashWithheld } from './keyed-digests.js';
import type { Redact } from './redaction.js';

export interface EventWriterParts {
  readonly db: Database;
  readonly clock: Clock;
  readonly redact: Redact;
  readonly sealer: Sealer;
  readonly log: AuditLog;
  readonly digest: KeyedDigest;
  /** How long calls are to be kept that are recorded now. */
  readonly keepDays: () => number | null;
}

export interface WrittenEvents {
  readonly calls: ReadonlyMap<string, { readonly row: CallRow; readonly batch: BatchRow }>;
  readonly tip: ChainTip;
}

interface AppliedEvent {
  readonly row: CallRow;
  readonly batch: BatchRow;
  /** The hash of all else that is shown of a call that was settled. */
  readonly shownHash: string | null;
}

interface PendingRows {
  /** The number of the chain’s last record before these. */
  readonly after: number;
  readonly calls: Map<string, { row: CallRow; batch: BatchRow }>;
  readonly called: Set<number>;
  readonly audit: AuditEntry[];
  readonly keepDays: number | null;
}

/** Writes what each event says: into the rows that are shown, and into the chain that proves them. */
export class EventWriter {
  readonly #parts: EventWriterParts;
  readonly #given: GivenTexts;
  readonly #store: CallStore;
  readonly #said: ConversationStore;
  readonly #write: (events: readonly JournalEvent[], tip: ChainTip) => WrittenEvents;

  constructor(parts: EventWriterParts, given: GivenTexts) {
    this.#parts = parts;
    this.#given = given;
    this.#store = new CallStore(parts.db, parts.sealer);
    this.#said = new ConversationStore(parts.db, parts.redact);
    const write = parts.db.transaction((events: readonly JournalEvent[], tip: ChainTip): WrittenEvents => {
      const at = parts.clock.now();
      const pending: PendingRows = {
        after: tip.seq,
        calls: new Map(),
        called: new Set(),
        audit: [],
        keepDays: parts.keepDays(),
      };
      for (const event of events) this.#apply(event, at, pending);
      for (const { row } of pending.calls.values()) this.#store.saveCall(row);
      return { calls: pending.calls, tip: parts.log.add(tip, at, pending.audit) };
    });
    this.#write = (events, tip) => write.immediate(events, tip);
  }

  /** Writes all of these events or none, behind this tip of the chain. */
  write(events: readonly JournalEvent[], tip: ChainTip): WrittenEvents {
    return this.#write(events, tip);
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
        this.#given.apply(event, at);
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
        const seq = pending.after + pending.audit.length + 1;
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
    for (const over of this.#given.called(batch, at)) pending.audit.push({ call: null, body: auditGiven(over, null) });
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
    if (event.type === 'call-settled') this.#given.wrote(event, batch.workspace);
    return { row, batch, shownHash };
  }
}
