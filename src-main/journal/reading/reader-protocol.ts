import type { ActivityPage } from '#contract/vocabulary/activity/activity.js';
import type { CallDetail, CallFilter, CallPage, NonTextPart } from '#contract/vocabulary/calls.js';
import type { OutputStreamName } from '#contract/vocabulary/screen/terminal-rows.js';
import type { SeenAgent } from '#contract/window/agents.js';
import type { OutputMatches, OutputWindow } from '#contract/window/channels.js';
import type { ChangesScope } from '#contract/vocabulary/activity/changes.js';
import type { TelemetrySnapshot } from '#contract/vocabulary/telemetry.js';
import type { EarlierQuestion, RuleUse } from '../../domain/ports/journal.js';
import type { ConversationSummary } from '#contract/vocabulary/conversation/conversation.js';
import type { MessagePage } from '#contract/window/conversation/conversation.js';
import type { ConversationFormat } from '../conversations/export-conversation.js';
import type { PageQuery } from './queries/page.js';
import type { ChangingCalls } from './queries/changing-calls.js';
import type { HookUse } from './queries/hooks.js';
import type { ActivitySpan } from './queries/sessions.js';
import type { SealedPage } from './queries/sealed-arguments.js';
import type { ChainCheck } from './queries/verify.js';

export type ExportFormat = 'markdown' | 'json' | 'jsonl' | 'cloudevents';

export interface OutputLocation {
  readonly callId: string;
  /** `both`: in the order in which they came, on the same rows. */
  readonly stream: OutputStreamName | 'both';
}

/** Everything the reading thread can be asked. */
export interface ReaderRequests {
  page(query: PageQuery): CallPage;
  detail(callId: string): CallDetail | null;
  sessions(span: ActivitySpan): ActivityPage;
  changing(scope: ChangesScope): ChangingCalls;
  checkChain(places: readonly number[]): ChainCheck;
  sealedArguments(after: number): SealedPage;
  telemetry(hours: number, now: number): TelemetrySnapshot;
  checkIntegrity(): string | null;
  export(format: ExportFormat, filter: CallFilter, file: string): null;
  outputWindow(place: OutputLocation, fromLine: number, lines: number): OutputWindow | null;
  searchOutput(place: OutputLocation, query: string, fromLine: number): OutputMatches | null;
  keptParts(callId: string): readonly NonTextPart[];
  keptPart(callId: string, number: number): Uint8Array | null;
  ruleUses(): Readonly<Record<string, RuleUse>>;
  hookUses(last: number): Readonly<Record<string, HookUse>>;
  seenAgents(): readonly SeenAgent[];
  asked(among: number): readonly EarlierQuestion[];
  conversations(workspace: string, query: string): readonly ConversationSummary[];
  messages(id: string, limit: number, before: string | null): MessagePage;
  exportConversation(id: string, format: ConversationFormat, file: string): null;
  pruneOutputs(quotaBytes: number, olderThan: number): number;
}
export type RequestName = keyof ReaderRequests;

export interface ReaderStart {
  readonly dataDir: string;
}
