import type { Config } from '#contract/vocabulary/config.js';
import { isJsonObject, type JsonObject } from '#contract/vocabulary/json.js';
import { cutArguments, exceedsLength } from '../../domain/call/cut-arguments.js';
import { identifyTool, findReachableTool } from '../../domain/policy/judged-tool.js';
import type { DeclaredCall, ValidatedCall } from '../../domain/call/call-stages.js';
import type { Disposition } from '../../domain/ports/gate/planner.js';
import type { QueueTicket } from '../../domain/ports/gate/place-queue.js';
import type { ToolLookup } from '../../domain/ports/gate/tool-lookup.js';
import { findHostileJson } from '../../domain/call/hostile-json.js';
import {
  type CommitReceipt,
  type Journal,
  JournalUnavailableError,
  type DeferredWrite,
} from '../../domain/ports/journal.js';
import type { JournalEvent } from '../../domain/call/journal-events.js';
import type { Redactor } from '../../domain/ports/redactor.js';
import type { ToolDeclaration } from '../../domain/tool/tool.js';
import { sha256 } from '../../platform/digest.js';
import type { BatchRun } from './batch/batch-run.js';
import type { OnRecord } from './batch/call-stage.js';
import { GroupCommit } from './group-commit.js';
import { RecordRedactor } from './result/record-redactor.js';

/** How long a handed-over batch may stay open in the journal while nothing else is written. */
const CLOSE_AFTER_MS = 2000;

export const isUnavailable = (proof: unknown): proof is JournalUnavailableError =>
  proof instanceof JournalUnavailableError;

/**
 * A promised append: it will be on the disk before anything is told that depends on it, and `written` says when it is
 * there.
 */
export interface PromisedAppend {
  readonly proof: DeferredWrite;
  readonly written: Promise<CommitReceipt | JournalUnavailableError>;
}

/** Turns what the gate does into facts, and appends them before it is done. */
export class Recorder {
  readonly #journal: Journal;
  readonly #tools: ToolLookup;
  /** Redacts whatever is recorded or answered. */
  readonly withoutSecrets: RecordRedactor;
  /** Batches whose results were handed over: said with the next append, so that it costs no commit of its own. */
  #closing: string[] = [];
  /** Ends that could not be written when they happened: they go before whatever is written next. */
  #owed: JournalEvent[] = [];
  #timer: NodeJS.Timeout | undefined;
  readonly #together = new GroupCommit((events) => this.#write(events));

  constructor(journal: Journal, tools: ToolLookup, redactor: Redactor) {
    this.#journal = journal;
    this.#tools = tools;
    this.withoutSecrets = new RecordRedactor(redactor);
    journal.onHealthChange(() => this.flush());
  }

  /** Appends at once: for what a person decided or stopped, where nothing may come between. */
  append(events: readonly JournalEvent[]): CommitReceipt | JournalUnavailableError {
    this.#together.flush();
    return this.#write(events);
  }

  /**
   * Appends in one commit with what other calls write in this turn. Durable when it resolves, like what `append`
   * returned for.
   */
  appendTogether(events: readonly JournalEvent[]): Promise<CommitReceipt | JournalUnavailableError> {
    return this.#together.add(events);
  }

  get health(): Journal['health'] {
    return this.#journal.health;
  }

  /**
   * Appends what nothing depends on yet: in order, with what is written next or a moment later. `lost` is called where
   * that fails.
   */
  appendSoon(events: readonly JournalEvent[], lost: (problem: string) => void): PromisedAppend {
    const written = this.#together.addSoon(events, lost);
    // Who does not wait for it hears of it by `lost`.
    written.catch(() => undefined);
    return { proof: { writtenSoon: true }, written };
  }

  #write(events: readonly JournalEvent[]): CommitReceipt | JournalUnavailableError {
    const owed = this.#owed;
    const closing = this.#closing;
    this.#owed = [];
    this.#closing = [];
    try {
      return this.#journal.append([
        ...owed,
        ...closing.map((batchId): JournalEvent => ({ type: 'batch-closed', batchId })),
        ...events.map((event) => this.withoutSecrets.event(event)),
      ]);
    } catch (error) {
      this.#owed = [...owed, ...this.#owed];
      this.#closing = [...closing, ...this.#closing];
      if (error instanceof JournalUnavailableError) return error;
      throw error;
    }
  }

  owe(event: JournalEvent): void {
    this.#owed.push(this.withoutSecrets.event(event));
  }

  close(batchId: string): void {
    this.#closing.push(batchId);
    this.#timer ??= setTimeout(() => this.flush(), CLOSE_AFTER_MS);
  }

  flush(): void {
    this.#together.flush();
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const pending = this.#closing.length + this.#owed.length;
    if (pending > 0 && this.#journal.health.state === 'ok') this.append([]);
  }

  begun(batch: BatchRun): JournalEvent {
    const { batchId, asker, situation } = batch;
    return {
      type: 'batch-received',
      batchId,
      asker,
      workspace: situation.workspace,
      mode: situation.asPlanned.config.tools.mode,
    };
  }

  /**
   * Redacts arguments on another thread before they are recorded, since they may be long. Arguments of more than `most`
   * bytes are left out: they will be refused whatever they hold, and only their beginning is recorded.
   */
  async prepare(calls: readonly DeclaredCall[], most: number): Promise<void> {
    const sound = calls.filter((call) => isWithin(call, most)).map(soundOf);
    await Promise.all(sound.map((args) => this.withoutSecrets.prepare(args)));
  }

  /**
   * The events of a received call and of its plan, together. A settled one is ended by the caller of this. `place`: to
   * run in, or to wait.
   */
  planned(disposition: Disposition, place: QueueTicket | null, about: RecordContext): readonly JournalEvent[] {
    return [...this.received(disposition, about), ...decisionEvents(disposition, place)];
  }

  /** The events of a received call, and whether it is sound: all that can be said before hooks have judged it. */
  received(disposition: Disposition, { config, onRecord }: RecordContext): readonly JournalEvent[] {
    const { call } = disposition;
    const received = onRecord === 'nothing' ? [this.#callReceived(disposition, config)] : [];
    if (onRecord === 'validated') return [];
    switch (disposition.kind) {
      case 'settled':
        return received;
      case 'await-result':
        return [
          ...received,
          { type: 'call-validated', callId: call.callId, summary: disposition.summary, risk: 'low', timeoutMs: 0 },
        ];
      case 'ask':
      case 'run':
        return [...received, validated(disposition.call)];
    }
  }

  /**
   * The event of a request, with its whole arguments: a call that was not planned yet has to be requested again after a
   * crash.
   */
  asked(call: DeclaredCall, config: Config): JournalEvent {
    return this.#received(call, config, soundOf(call));
  }

  /**
   * The declaration with which a refused call ends. One that planning found to fail as running it would have (a patch
   * that can't be read) ends in the same state as if it had run, with nothing asked. A call that was withdrawn
   * meanwhile never ran, nor did one of a message that broke off.
   */
  couldHaveRun({ call, failure }: Extract<Disposition, { kind: 'settled' }>): ToolDeclaration | null {
    return failure.code === 'Cancelled' || failure.code === 'Interrupted' ? null : this.#declarationOf(call);
  }

  #declarationOf(call: DeclaredCall): ToolDeclaration | null {
    return findReachableTool(this.#tools, call)?.tool.declaration ?? null;
  }

  #callReceived(disposition: Disposition, config: Config): JournalEvent {
    const sound = soundOf(disposition.call);
    const args =
      disposition.kind === 'settled'
        ? cutArguments(sound, sha256, (beginning) => this.withoutSecrets.shown(beginning))
        : sound;
    return this.#received(disposition.call, config, args);
  }

  #received(call: DeclaredCall, config: Config, args: JsonObject): JournalEvent {
    const declaration = this.#declarationOf(call);
    const { name, id, version } = identifyTool(this.#tools, call, config);
    return {
      type: 'call-received',
      callId: call.callId,
      batchId: call.batchId,
      index: call.index,
      requestId: call.requestId,
      // The tool itself is on record, by whatever name and versions it was called.
      tool: call.wanted === undefined ? call.toolName : name,
      toolId: id,
      toolVersion: version,
      nature: declaration?.nature ?? null,
      sideEffecting: declaration?.sideEffecting ?? false,
      arguments: args,
    };
  }
}

/** The context with which a disposition is recorded. */
interface RecordContext {
  readonly config: Config;
  /** The part of the call that is on record already. */
  readonly onRecord: OnRecord;
}

export const isWithin = (call: DeclaredCall, most: number): boolean => !exceedsLength(soundOf(call), most);

/** Hostile arguments are refused, and kept only as the fact that they came. */
function soundOf({ rawArguments }: DeclaredCall): JsonObject {
  return isJsonObject(rawArguments) && findHostileJson(rawArguments) === null ? rawArguments : {};
}

/** The events of the decision on a received call. `place`: to run in, or to wait. */
export function decisionEvents(disposition: Disposition, place: QueueTicket | null): readonly JournalEvent[] {
  const { callId } = disposition.call;
  switch (disposition.kind) {
    case 'settled':
      return [];
    case 'await-result':
    case 'ask': {
      const waitsFor = disposition.kind === 'ask' ? 'decision' : 'result';
      return [{ type: 'call-awaiting', callId, for: waitsFor, why: disposition.why, rule: disposition.rule }];
    }
    case 'run':
      return [{ type: 'call-authorized', callId, grant: disposition.grant }, ...placed(callId, place)];
  }
}

const validated = (call: ValidatedCall): JournalEvent => ({
  type: 'call-validated',
  callId: call.callId,
  summary: call.summary,
  risk: call.risk,
  timeoutMs: call.timeoutMs,
});

const placed = (callId: string, place: QueueTicket | null): readonly JournalEvent[] => {
  if (place === null) return [];
  return [place.why === null ? executing(callId, 1) : queued(callId, place.why)];
};

export const queued = (callId: string, why: string): JournalEvent => ({ type: 'call-queued', callId, why });

export const executing = (callId: string, attempt: number): JournalEvent => ({
  type: 'call-executing',
  callId,
  attempt,
});

export const edited = (call: ValidatedCall): JournalEvent => ({
  type: 'call-edited',
  callId: call.callId,
  arguments: call.arguments,
  summary: call.summary,
  risk: call.risk,
});
