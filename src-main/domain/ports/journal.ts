import type { CallDetail, CallFilter, CallPage, CallSummary } from '#contract/vocabulary/calls.js';
import type { JsonObject } from '#contract/vocabulary/json.js';
import type { AuditVerdict, TelemetrySnapshot } from '#contract/vocabulary/telemetry.js';
import type { CallOptions } from '../call/call-options.js';
import type { Asker } from '../call/asker.js';
import type { Grant, JournalEvent, SettledResult } from '../call/journal-events.js';
import type { Failure } from '#contract/vocabulary/outcomes.js';

/** Thrown by `append` when nothing was written. The gate is closed by then. */
export class JournalUnavailableError extends Error {
  constructor(problem: string) {
    super(problem);
    this.name = 'JournalUnavailableError';
  }
}

declare const committed: unique symbol;
/** Proof that an append is durable. Only the journal makes it, and only after the commit; acts require it. */
export interface CommitReceipt<Events extends readonly JournalEvent[] = readonly JournalEvent[]> {
  readonly [committed]: Events;
  readonly calls: readonly CallSummary[];
}

/** An unsettled call as the journal has it, whole: for recovery, and for asking again after a restart. */
export interface UnsettledCall {
  readonly summary: CallSummary;
  readonly index: number;
  readonly requestId: string | null;
  readonly sideEffecting: boolean;
  readonly arguments: JsonObject;
  readonly originalArguments: JsonObject | null;
  /** Secrets in the arguments were not kept: it can't be asked again. */
  readonly lost: boolean;
  /** The capabilities that were granted; empty as long as there are none. */
  readonly capabilities: readonly string[];
  /**
   * The grant by the person, where the call had not begun; null where they granted nothing, or where not all of it was
   * kept.
   */
  readonly yes: Grant | null;
  readonly attempts: number;
  /** The options that its program asked for besides; null where none did. */
  readonly wanted: CallOptions | null;
  readonly process: { readonly pid: number; readonly startTicks: string; readonly mark: string } | null;
}

export interface OpenBatch {
  readonly batchId: string;
  readonly asker: Asker;
  readonly workspace: string;
  readonly mode: 'parse_only' | 'enabled' | 'disabled';
  /** Every call of the batch in order, settled ones too. */
  readonly calls: readonly (
    | { readonly settled: false; readonly call: UnsettledCall }
    | {
        readonly settled: true;
        readonly summary: CallSummary;
        readonly result: SettledResult;
        readonly failure: Failure | null;
      }
  )[];
}

/**
 * Marks that the start of a read-only call is written with its result at the latest, before anybody is told that.
 * Reading is no act in the world, so nothing can have happened that is not on record.
 */
export interface DeferredWrite {
  readonly writtenSoon: true;
}

/** The journal's one writer. Synchronous: what it returned is durable. */
export interface Journal {
  readonly health: { readonly state: 'ok' | 'failed'; readonly problem: string | null };
  onHealthChange(listener: () => void): () => void;
  /** Appends all events in one transaction: all are durable or none. Publishes to listeners only after the commit. */
  append(events: readonly JournalEvent[]): CommitReceipt;
  onCommit(listener: (events: readonly JournalEvent[], calls: readonly CallSummary[]) => void): () => void;
  /** Batches that are not closed, oldest first. */
  openBatches(): readonly OpenBatch[];
  /** When the app was last known to run before this start, Unix ms. */
  readonly lastAlive: number | null;
  close(): void;
}

/** How often a rule let a call run, and when the last of these was asked for. */
export interface RuleUse {
  readonly used: number;
  readonly last: number | null;
}

/** A call that the person was asked about, with the arguments that it was asked with. */
export interface EarlierQuestion {
  readonly callId: string;
  readonly tool: string;
  readonly toolId: string | null;
  readonly summary: string;
  readonly arguments: JsonObject;
  readonly agent: string | null;
  /** The rule that made it ask. */
  readonly rule: string | null;
  readonly denied: boolean;
}

/** Heavy reads, off the main thread. */
export interface JournalReader {
  page(query: {
    readonly limit: number;
    readonly before: string | null;
    readonly filter: CallFilter;
  }): Promise<CallPage>;
  detail(callId: string): Promise<CallDetail | null>;
  verify(): Promise<AuditVerdict>;
  telemetry(hours: number): Promise<TelemetrySnapshot>;
  export(format: 'markdown' | 'json' | 'jsonl' | 'cloudevents', filter: CallFilter, file: string): Promise<void>;
}
