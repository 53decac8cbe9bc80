import type { ActivityPage } from '#contract/vocabulary/activity/activity.js';
import type { CallDetail, CallFilter, CallPage, NonTextPart } from '#contract/vocabulary/calls.js';
import type { ConversationSummary } from '#contract/vocabulary/conversation/conversation.js';
import type { MessagePage } from '#contract/window/conversation/conversation.js';
import type { SeenAgent } from '#contract/window/agents.js';
import type { OutputMatches, OutputWindow } from '#contract/window/channels.js';
import type { ChangesScope } from '#contract/vocabulary/activity/changes.js';
import type { AuditVerdict, TelemetrySnapshot } from '#contract/vocabulary/telemetry.js';
import type { EarlierQuestion, JournalReader, RuleUse } from '../../domain/ports/journal.js';
import type { Clock } from '../../domain/ports/clock.js';
import type { Sealer } from '../../domain/ports/sealing.js';
import { keyedDigests } from '../writing/keyed-digests.js';
import type { ConversationFormat } from '../conversations/export-conversation.js';
import { BadCursorError, type PageQuery } from './queries/page.js';
import type { ChangingCalls } from './queries/changing-calls.js';
import type { HookUse } from './queries/hooks.js';
import type { SealedPage } from './queries/sealed-arguments.js';
import type { ActivitySpan } from './queries/sessions.js';
import type { ExportFormat, OutputLocation, ReaderRequests, ReaderStart, RequestName } from './reader-protocol.js';
import { AskedThread, type AskedTrouble } from '../../platform/asked/asked-thread.js';
import { startThread } from '../../platform/asked/start-thread.js';
import { judgeChain, listCheckedSeqs, type AuditEvidence } from '../audit/judge-chain.js';
import { judgeSealed } from '../audit/judge-sealed.js';
import type { HeadSigner } from '../audit/head-signing.js';
import type { ExternalHeadState } from '../audit/external-head.js';
import { readSignedHead } from '../audit/signed-head.js';

export interface ReaderOptions {
  readonly dataDir: string;
  /** The built worker, out/main/journal-reader.js. */
  readonly entry: URL;
  readonly clock: Clock;
  readonly signer: HeadSigner;
  readonly sealer: Sealer;
  /** The system store's knowledge of this history. */
  readonly kept: () => Promise<ExternalHeadState>;
  /** Called before words are searched for: what was recorded a moment ago is to be found. */
  readonly beforeSearch: () => void;
}

/**
 * Requests that read the whole journal or many files. They have a thread of their own: a list must not wait for them.
 */
const SLOW_REQUESTS = new Set<RequestName>([
  'checkChain',
  'sealedArguments',
  'checkIntegrity',
  'export',
  'exportConversation',
  'pruneOutputs',
  'telemetry',
  'ruleUses',
  'hookUses',
  'seenAgents',
  'asked',
]);
/** A thread for rare work that has none gives its memory back. */
const IDLE_MS = 30_000;

/** Asks the reading threads. Each starts at its first question, and anew should it ever die. */
export class WorkerJournalReader implements JournalReader {
  readonly #options: ReaderOptions;
  readonly #quick: AskedThread<ReaderRequests>;
  readonly #slow: AskedThread<ReaderRequests>;

  constructor(options: ReaderOptions) {
    this.#options = options;
    const start: ReaderStart = { dataDir: options.dataDir };
    const common = { start: () => startThread(options.entry, { workerData: start }), explain };
    this.#quick = new AskedThread(common);
    this.#slow = new AskedThread({ ...common, idleMs: IDLE_MS });
  }

  page(query: PageQuery): Promise<CallPage> {
    if (query.filter.query !== undefined) this.#options.beforeSearch();
    return this.#ask('page', query);
  }

  detail(callId: string): Promise<CallDetail | null> {
    return this.#ask('detail', callId);
  }

  changing(scope: ChangesScope): Promise<ChangingCalls> {
    return this.#ask('changing', scope);
  }

  sessions(span: ActivitySpan): Promise<ActivityPage> {
    return this.#ask('sessions', span);
  }

  async verify(): Promise<AuditVerdict> {
    const { dataDir, signer, kept } = this.#options;
    // Read before the chain is: a head that is signed meanwhile is of events that are not looked at.
    const proofs: AuditEvidence = {
      signer,
      kept: await kept(),
      head: signer.available ? readSignedHead(dataDir, signer) : 'unavailable',
    };
    const verdict = await judgeChain(await this.#ask('checkChain', listCheckedSeqs(proofs)), proofs);
    return verdict.ok ? ((await this.#judgeSealed()) ?? verdict) : verdict;
  }

  /** Holds the sealed arguments against the chain, page by page: the reading thread has no key. */
  async #judgeSealed(): Promise<AuditVerdict | null> {
    const { dataDir, signer, sealer } = this.#options;
    if (!signer.available || !sealer.available) return null;
    const digest = keyedDigests(dataDir, signer);
    for (let next: number | null = 0; next !== null;) {
      const page: SealedPage = await this.#ask('sealedArguments', next);
      for (const call of page.calls) {
        const wrong = judgeSealed(call, sealer, digest);
        if (wrong !== null) return wrong;
        await new Promise(setImmediate);
      }
      ({ next } = page);
    }
    return null;
  }

  telemetry(hours: number): Promise<TelemetrySnapshot> {
    return this.#ask('telemetry', hours, this.#options.clock.now());
  }

  async export(format: ExportFormat, filter: CallFilter, file: string): Promise<void> {
    if (filter.query !== undefined) this.#options.beforeSearch();
    await this.#ask('export', format, filter, file);
  }

  /** Null when the database is sound; otherwise what is not. Reads it all: for after a crash. */
  checkIntegrity(): Promise<string | null> {
    return this.#ask('checkIntegrity');
  }

  /** Null when no output of that call is kept. Raw: the caller sanitizes what it shows. */
  outputWindow(place: OutputLocation, fromLine: number, lines: number): Promise<OutputWindow | null> {
    return this.#ask('outputWindow', place, fromLine, lines);
  }

  searchOutput(place: OutputLocation, query: string, fromLine: number): Promise<OutputMatches | null> {
    return this.#ask('searchOutput', place, query, fromLine);
  }

  /** Parts of a source's answer that are no text. */
  keptParts(callId: string): Promise<readonly NonTextPart[]> {
    return this.#ask('keptParts', callId);
  }

  /** Null where it is not kept any more, or is not what was recorded. */
  keptPart(callId: string, number: number): Promise<Uint8Array | null> {
    return this.#ask('keptPart', callId, number);
  }

  ruleUses(): Promise<Readonly<Record<string, RuleUse>>> {
    return this.#ask('ruleUses');
  }

  hookUses(last: number): Promise<Readonly<Record<string, HookUse>>> {
    return this.#ask('hookUses', last);
  }

  seenAgents(): Promise<readonly SeenAgent[]> {
    return this.#ask('seenAgents');
  }

  asked(among: number): Promise<readonly EarlierQuestion[]> {
    return this.#ask('asked', among);
  }

  /** Conversations of a folder, the one that changed last first; those with the words where there are any. */
  conversations(workspace: string, query: string): Promise<readonly ConversationSummary[]> {
    return this.#ask('conversations', workspace, query);
  }

  /** The newest messages of the branch that is shown, or those before one. */
  messages(id: string, limit: number, before: string | null): Promise<MessagePage> {
    return this.#ask('messages', id, limit, before);
  }

  async exportConversation(id: string, format: ConversationFormat, file: string): Promise<void> {
    await this.#ask('exportConversation', id, format, file);
  }

  /** Deletes stored outputs: those last used before `olderThan`, then the oldest until the rest fits. Gives the bytes freed. */
  pruneOutputs(quotaBytes: number, olderThan: number): Promise<number> {
    return this.#ask('pruneOutputs', quotaBytes, olderThan);
  }

  async close(): Promise<void> {
    await Promise.all([this.#quick.close(), this.#slow.close()]);
  }

  #ask<Name extends RequestName>(
    name: Name,
    ...args: Parameters<ReaderRequests[Name]>
  ): Promise<Awaited<ReturnType<ReaderRequests[Name]>>> {
    return (SLOW_REQUESTS.has(name) ? this.#slow : this.#quick).ask(name, ...args);
  }
}

function explain({ is, details, kind }: AskedTrouble): Error {
  if (is === 'closed') return new Error('The journal reader is closed.');
  if (is === 'refused') return kind === 'BadCursorError' ? new BadCursorError() : new Error(details);
  return new Error(`The journal reader ended (${details}). Ask again.`);
}
