import type { Config } from '#contract/vocabulary/config.js';
import { isJsonObject, type JsonObject } from '#contract/vocabulary/json.js';
import { cutArguments, isLongerThan } from '../../domain/call/cut-arguments.js';
import { identityOf, toolOfCall } from '../../domain/policy/door-tools.js';
import type { DeclaredCall, ValidatedCall } from '../../domain/call/call-stages.js';
import type { Disposition } from '../../domain/ports/gate/planner.js';
import type { ToolLookup } from '../../domain/ports/gate/tool-lookup.js';
import { findHostility } from '../../domain/call/hostile-json.js';
import { type Committed, type Journal, JournalUnavailableError } from '../../domain/ports/journal.js';
import type { JournalEvent } from '../../domain/call/journal-events.js';
import type { Redactor } from '../../domain/ports/redactor.js';
import type { ToolDeclaration } from '../../domain/tool/tool.js';
import { digestOf, sha256 } from '../../platform/digest.js';
import type { BatchRun } from './batch-run.js';
import { WithoutSecrets } from './without-secrets.js';

/** How long a handed-over batch may stay open in the journal while nothing else is written. */
const CLOSE_AFTER_MS = 2000;

export const isUnavailable = (proof: unknown): proof is JournalUnavailableError =>
  proof instanceof JournalUnavailableError;

/** Turns what the gate does into facts, and appends them before it is done. */
export class Recorder {
  readonly #journal: Journal;
  readonly #tools: ToolLookup;
  /** What is recorded, and answered, holds no secrets. */
  readonly withoutSecrets: WithoutSecrets;
  /** Batches whose results were handed over: said with the next append, so that it costs no commit of its own. */
  #closing: string[] = [];
  /** Ends that could not be written when they happened: they go before whatever is written next. */
  #owed: JournalEvent[] = [];
  #timer: NodeJS.Timeout | undefined;

  constructor(journal: Journal, tools: ToolLookup, redactor: Redactor) {
    this.#journal = journal;
    this.#tools = tools;
    this.withoutSecrets = new WithoutSecrets(redactor);
    journal.onHealthChange(() => this.flush());
  }

  append(events: readonly JournalEvent[]): Committed | JournalUnavailableError {
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
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const pending = this.#closing.length + this.#owed.length;
    if (pending > 0 && this.#journal.health.state === 'ok') this.append([]);
  }

  received(batch: BatchRun): JournalEvent {
    const { batchId, asker, situation } = batch;
    return {
      type: 'batch-received',
      batchId,
      asker,
      workspace: situation.workspace,
      mode: situation.config.tools.mode,
    };
  }

  /**
   * Before calls are recorded: what they hold may be long, and is looked at on another thread. Not what is over `most`, which
   * will be refused whatever it is: of that only the beginning is recorded.
   */
  async prepare(calls: readonly DeclaredCall[], most: number): Promise<void> {
    const sound = calls.map(soundOf).filter((args) => !isLongerThan(args, most));
    await Promise.all(sound.map((args) => this.withoutSecrets.prepare(args)));
  }

  /** What was received and what was planned for it, together. What is settled already is ended by who asks. */
  planned(disposition: Disposition, startsNow: boolean, config: Config): readonly JournalEvent[] {
    const { call } = disposition;
    const received = this.#callReceived(disposition, config);
    switch (disposition.kind) {
      case 'settled':
        return [received];
      case 'await-result':
        return [
          received,
          { type: 'call-validated', callId: call.callId, summary: disposition.summary, risk: 'low', timeoutMs: 0 },
          {
            type: 'call-awaiting',
            callId: call.callId,
            for: 'result',
            why: disposition.why,
            rule: disposition.rule,
          },
        ];
      case 'ask':
        return [
          received,
          validated(disposition.call),
          { type: 'call-awaiting', callId: call.callId, for: 'decision', why: disposition.why, rule: disposition.rule },
        ];
      case 'run':
        return [
          received,
          validated(disposition.call),
          { type: 'call-authorized', callId: call.callId, grant: disposition.grant },
          ...(startsNow ? [executing(call.callId, 1)] : []),
        ];
    }
  }

  /**
   * What planning found to fail as running it would have (a patch that can't be read) ends in the same state, and nothing
   * was asked. What was taken back meanwhile never ran.
   */
  couldHaveRun({ call, failure }: Extract<Disposition, { kind: 'settled' }>): ToolDeclaration | null {
    return failure.code === 'Cancelled' ? null : this.#declarationOf(call);
  }

  #declarationOf(call: DeclaredCall): ToolDeclaration | null {
    return toolOfCall(this.#tools, call)?.tool.declaration ?? null;
  }

  #callReceived(disposition: Disposition, config: Config): JournalEvent {
    const { call } = disposition;
    const declaration = this.#declarationOf(call);
    const { id, version } = identityOf(this.#tools, call, config);
    const sound = soundOf(call);
    const args =
      disposition.kind === 'settled'
        ? cutArguments(sound, sha256, (beginning) => this.withoutSecrets.shown(beginning))
        : sound;
    return {
      type: 'call-received',
      callId: call.callId,
      batchId: call.batchId,
      index: call.index,
      requestId: call.requestId,
      tool: call.toolName,
      toolId: id,
      toolVersion: version,
      sideEffecting: declaration?.sideEffecting ?? false,
      arguments: args,
      inputHash: digestOf(args),
    };
  }
}

/** Hostile arguments are refused, and kept only as the fact that they came. */
function soundOf({ rawArguments }: DeclaredCall): JsonObject {
  return isJsonObject(rawArguments) && findHostility(rawArguments) === null ? rawArguments : {};
}

const validated = (call: ValidatedCall): JournalEvent => ({
  type: 'call-validated',
  callId: call.callId,
  summary: call.summary,
  risk: call.risk,
  timeoutMs: call.timeoutMs,
});

export const executing = (callId: string, attempt: number): JournalEvent => ({
  type: 'call-executing',
  callId,
  attempt,
});

export const edited = (call: ValidatedCall): JournalEvent => ({
  type: 'call-edited',
  callId: call.callId,
  arguments: call.arguments,
  inputHash: digestOf(call.arguments),
  summary: call.summary,
  risk: call.risk,
});
