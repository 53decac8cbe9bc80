import Type, { type Static, type TSchema } from 'typebox';
import type { ActivityPage } from '../vocabulary/activity/activity.js';
import { AGENT_CHANNELS } from './agents.js';
import { type Channel, byHand, channel, closed, id, jsonText, nothing, path } from './channel.js';
import { CONVERSATION_CHANNELS } from './conversation/conversation-channels.js';
import { TRUST_CHANNELS } from './conversation/trust-channels.js';
import type { AppEvent, AppSnapshot } from './app-events.js';
import { CLIENT_CHANNELS } from './clients.js';
import { FOLDER_ANSWERS } from './folder-questions.js';
import type { ApprovalRequest, RulePreview } from './approvals.js';
import type { CallTest, RuleSuggestion, RuleView } from './rules.js';
import {
  type CallDetail,
  type CallPage,
  DECIDERS,
  DOORS,
  type RevealedCall,
  type NonTextPart,
} from '../vocabulary/calls.js';
import type { ConversationSummary } from '../vocabulary/conversation/conversation.js';
import type { FolderChanges } from '../vocabulary/activity/changes.js';
import type { OutputRow } from '../vocabulary/screen/terminal-rows.js';
import type { QuarantineView } from '../vocabulary/activity/quarantine.js';
import type { BridgeResult } from './result.js';
import { type SettingsView } from './settings.js';
import { ASKING_PRESETS } from '../vocabulary/conversation/asking-preset.js';
import type { AuditVerdict, TelemetrySnapshot } from '../vocabulary/telemetry.js';
import type { PlanPreview } from '../vocabulary/tools/tools.js';
import { PASTED_SOURCE_CHANNELS } from './tools/pasted-sources.js';
import { DOMAIN_CHANNELS } from './tools/domain.js';
import type { ReadableByCommands } from './health.js';
import { HOOK_CHANNELS } from './hooks.js';
import { SOURCE_CHANNELS } from './tools/sources.js';
import type { ToolSearchResult, ToolView } from './tools/tools.js';
import type { LocalServer, ModelInfo, ModelListing, ModelTestResult } from './conversation/models.js';
import type { UndoPlan, UndoPreview } from '../vocabulary/undo.js';

/** So much is told of a fault: what went wrong, and where. */
export const FAULT_WORDS = 2000;
export const FAULT_STACK = 8000;

const callFilter = {
  query: Type.Optional(Type.String({ maxLength: 1000 })),
  tool: Type.Optional(Type.String({ maxLength: 200 })),
  state: Type.Optional(Type.String({ maxLength: 40 })),
  door: Type.Optional(Type.Enum([...DOORS])),
  agent: Type.Optional(Type.String({ maxLength: 32 })),
  session: Type.Optional(id),
  workspace: Type.Optional(Type.String({ maxLength: 4096 })),
  decidedBy: Type.Optional(Type.Enum([...DECIDERS])),
  changed: Type.Optional(Type.Boolean()),
  exit: Type.Optional(Type.Enum(['zero', 'other'])),
  rule: Type.Optional(Type.String({ maxLength: 40 })),
  from: Type.Optional(Type.Number()),
  to: Type.Optional(Type.Number()),
};
const changesScope = {
  workspace: path,
  from: Type.Number(),
  door: Type.Optional(Type.Enum([...DOORS])),
  session: Type.Optional(id),
  agent: Type.Optional(Type.String({ maxLength: 32 })),
};
const ofCall = { callId: id, paths: Type.Optional(Type.Array(path)) };
const ruleWanted = Type.Object(
  {
    what: Type.Enum(['whole', 'first-words']),
    who: Type.Enum(['asker', 'all']),
    where: Type.Enum(['here', 'everywhere']),
    until: Type.Enum(['quit', 'always']),
    readable: Type.Optional(
      Type.Unsafe<readonly string[]>(Type.Array(Type.String({ minLength: 1, maxLength: 4096 }), { maxItems: 100 })),
    ),
  },
  closed,
);
const format = Type.Enum(['markdown', 'json', 'jsonl', 'cloudevents']);

/**
 * The one table of everything the window can ask of main. The client, main's required handlers, the allow-list at
 * run time and the validation of every message come from it, so nothing can cross that is not written here.
 */
export const CHANNELS = {
  // The app
  'app.snapshot': channel<AppSnapshot>()(nothing),
  /** Something in the page failed; main keeps it in the log. */
  'app.fault': channel<null>()(
    Type.Object(
      {
        in: Type.Enum(['drawing', 'script', 'promise']),
        words: Type.String({ maxLength: FAULT_WORDS }),
        stack: Type.String({ maxLength: FAULT_STACK }),
      },
      closed,
    ),
  ),
  /** The page is loaded anew; nothing else ends with it. */
  'app.reload': byHand<null>()(nothing),
  'app.answer': byHand<null>()(Type.Object({ yes: Type.Boolean() }, closed)),
  /** A link in what a model wrote, once the person has seen the whole address and wants it. */
  'app.openLink': byHand<null>()(Type.Object({ url: Type.String({ maxLength: 8000 }) }, closed)),
  'app.copyText': channel<null>()(Type.Object({ text: Type.String({ maxLength: 4_000_000 }) }, closed)),
  'app.setTheme': channel<null>()(Type.Object({ theme: Type.Enum(['system', 'light', 'dark']) }, closed)),
  'notices.dismiss': channel<null>()(Type.Object({ id }, closed)),
  /** Presses the notice's own button. */
  'notices.act': byHand<null>()(Type.Object({ id }, closed)),

  // The workspace
  'workspace.choose': byHand<null>()(nothing),
  'workspace.open': byHand<null>()(Type.Object({ path }, closed)),
  /** Brings its tab to the front. */
  'workspace.show': byHand<null>()(Type.Object({ path }, closed)),
  /** Asks first where calls wait or run in it. */
  'workspace.close': byHand<null>()(Type.Object({ path }, closed)),
  'workspace.forgetRecent': channel<null>()(Type.Object({ path }, closed)),

  /** An agent was started in a folder that isn't open. */
  'folders.answer': byHand<null>()(Type.Object({ id, answer: Type.Enum([...FOLDER_ANSWERS]) }, closed)),

  // The files in it, in the person's own programs
  'files.open': byHand<null>()(Type.Object({ workspace: path, path }, closed)),
  'files.show': byHand<null>()(Type.Object({ workspace: path, path }, closed)),

  /** The scripted tour, in a folder of its own beside those that are open. */
  'demo.begin': byHand<ConversationSummary>()(nothing),

  // Asking for calls
  'compose.run': byHand<{ readonly batchId: string; readonly callIds: readonly string[] }>()(
    Type.Object(
      {
        /** The open folder that they are for: the one that the page shows. */
        workspace: Type.String({ maxLength: 4096 }),
        calls: Type.Array(Type.Object({ tool: id, arguments: jsonText }, closed), { minItems: 1, maxItems: 1000 }),
      },
      closed,
    ),
  ),
  'compose.plan': channel<PlanPreview>()(
    Type.Object({ workspace: Type.String({ maxLength: 4096 }), tool: id, arguments: jsonText }, closed),
  ),

  // Watching and stopping them
  'calls.list': channel<CallPage>()(
    Type.Object(
      { limit: Type.Integer({ minimum: 1, maximum: 500 }), before: Type.Optional(id), ...callFilter },
      closed,
    ),
  ),
  /** Lists each session's activity from one moment until before another. */
  'activity.sessions': channel<ActivityPage>()(
    Type.Object({ from: Type.Number(), to: Type.Number(), workspace: Type.Optional(path) }, closed),
  ),
  'calls.get': channel<CallDetail>()(Type.Object({ callId: id }, closed)),
  'calls.stop': channel<null>()(Type.Object({ callId: id }, closed)),
  /** “Ask me again”: what was denied is asked about when it comes again. */
  'calls.askAgain': byHand<null>()(Type.Object({ callId: id }, closed)),
  'batches.stop': channel<null>()(Type.Object({ batchId: id }, closed)),
  /** A window of the stored output, both streams in the order in which they came, in rows: a gigabyte opens at once. */
  'calls.output': channel<OutputWindow>()(
    Type.Object(
      {
        callId: id,
        fromLine: Type.Integer({ minimum: 0 }),
        lines: Type.Integer({ minimum: 1, maximum: 5000 }),
      },
      closed,
    ),
  ),
  /** Copies all of the output to the clipboard, as text: none of it has to pass the border for that. */
  'calls.copyOutput': channel<null>()(Type.Object({ callId: id }, closed)),
  'calls.searchOutput': channel<OutputMatches>()(
    Type.Object(
      {
        callId: id,
        query: Type.String({ minLength: 1, maxLength: 500 }),
        fromLine: Type.Integer({ minimum: 0 }),
      },
      closed,
    ),
  ),
  /** Lists the parts of a source's result that are not text; a picture is drawn from the app's own protocol. */
  'calls.keptParts': channel<readonly NonTextPart[]>()(Type.Object({ callId: id }, closed)),
  /** Null where the person chose no file. */
  'calls.saveKept': byHand<{ readonly file: string | null }>()(
    Type.Object({ callId: id, number: Type.Integer({ minimum: 1, maximum: 1_000_000 }) }, closed),
  ),
  /** Opens the redacted texts of a call, from where they are kept sealed. */
  'calls.reveal': byHand<RevealedCall>()(Type.Object({ callId: id }, closed)),

  // Deciding
  'approvals.decide': byHand<null>()(
    Type.Object(
      {
        batchId: id,
        digest: id,
        decision: Type.Union([
          Type.Object({ kind: Type.Literal('approve-all') }, closed),
          Type.Object({ kind: Type.Literal('approve-selected'), callIds: Type.Array(id) }, closed),
          Type.Object({ kind: Type.Literal('deny-all') }, closed),
        ]),
        /** The calls of High risk that were asked about a second time. */
        highRisk: Type.Optional(Type.Array(id)),
        /** The calls of which not all is drawn at first: it was opened, or asked about a second time. */
        folded: Type.Optional(Type.Array(id)),
        reason: Type.Optional(Type.String({ maxLength: 4000 })),
        reasons: Type.Optional(
          Type.Array(Type.Object({ callId: id, reason: Type.String({ maxLength: 4000 }) }, closed)),
        ),
        /** Network access granted to calls, this once. */
        network: Type.Optional(
          Type.Array(
            Type.Object(
              {
                callId: id,
                allowed: Type.Union([
                  Type.Literal('any'),
                  Type.Array(Type.String({ minLength: 1, maxLength: 262 }), { minItems: 1, maxItems: 1000 }),
                ]),
              },
              closed,
            ),
          ),
        ),
        /** The calls that may write to `.git`, this once. */
        writesGit: Type.Optional(Type.Array(id)),
        /** The calls whose callers may see secrets in the result, this once. */
        reveals: Type.Optional(Type.Array(id)),
        /** Hidden files that calls may read, this once. */
        reads: Type.Optional(
          Type.Array(
            Type.Object({ callId: id, paths: Type.Array(Type.String({ maxLength: 4096 }), { maxItems: 100 }) }, closed),
          ),
        ),
        /** The call is approved, and a rule made of it. */
        rule: Type.Optional(ruleWanted),
      },
      closed,
    ),
  ),
  'approvals.denyOne': channel<null>()(
    Type.Object(
      { batchId: id, callId: id, digest: id, reason: Type.Optional(Type.String({ maxLength: 4000 })) },
      closed,
    ),
  ),
  'approvals.edit': byHand<ApprovalRequest>()(
    Type.Object({ batchId: id, callId: id, digest: id, arguments: jsonText }, closed),
  ),
  /** The file as it shall be: the call is asked with the arguments that give it. */
  'approvals.editFile': byHand<ApprovalRequest>()(
    Type.Object({ batchId: id, callId: id, digest: id, path, content: jsonText }, closed),
  ),
  /** The same validation and planning an edit would get, without making it. */
  'approvals.checkEdit': channel<PlanPreview>()(Type.Object({ callId: id, arguments: jsonText }, closed)),
  /** Brings what came later onto the sheet. */
  'approvals.show': byHand<null>()(Type.Object({ batchId: id }, closed)),
  /** Previews the past calls that a rule made of the call on this sheet would have covered. */
  'rules.preview': channel<RulePreview>()(Type.Object({ batchId: id, digest: id, rule: ruleWanted }, closed)),
  'rules.list': channel<readonly RuleView[]>()(nothing),
  'rules.remove': byHand<null>()(Type.Object({ id }, closed)),
  'rules.undoRemove': byHand<null>()(Type.Object({ id }, closed)),
  /** Lists the calls that the person is asked about again and again. */
  'rules.suggestions': channel<readonly RuleSuggestion[]>()(nothing),
  'rules.previewSuggested': channel<RulePreview>()(Type.Object({ id, rule: ruleWanted }, closed)),
  'rules.makeSuggested': byHand<null>()(Type.Object({ id, rule: ruleWanted }, closed)),
  /** Answers “What would happen to this call?”, asked by that agent, or by one without a token. */
  'rules.test': channel<CallTest>()(
    Type.Object({ tool: id, arguments: jsonText, agent: Type.Union([id, Type.Null()]) }, closed),
  ),
  'results.submit': byHand<null>()(
    Type.Object(
      { callId: id, result: Type.String({ maxLength: 4_000_000 }), isError: Type.Optional(Type.Boolean()) },
      closed,
    ),
  ),

  // Taking back
  'undo.preview': channel<UndoPreview>()(Type.Object({ callId: id }, closed)),
  'undo.apply': byHand<{ readonly callId: string }>()(
    Type.Object({ ...ofCall, earlier: Type.Optional(Type.Array(Type.Object(ofCall, closed))) }, closed),
  ),
  /** Lists the changes of calls, each file as one change. */
  'changes.get': channel<FolderChanges>()(Type.Object(changesScope, closed)),
  /** Marks the present content as reviewed by the person. */
  'changes.lookedThrough': byHand<null>()(Type.Object({ workspace: path, paths: Type.Array(path) }, closed)),
  /** Plans undoing these changes, and names the obstacles. */
  'changes.plan': channel<UndoPlan>()(Type.Object({ ...changesScope, paths: Type.Optional(Type.Array(path)) }, closed)),
  'aside.view': channel<QuarantineView>()(Type.Object({ callId: id }, closed)),
  'aside.putBack': byHand<{ readonly callId: string }>()(
    Type.Object({ callId: id, paths: Type.Optional(Type.Array(path)) }, closed),
  ),
  'recovery.decide': byHand<null>()(Type.Object({ choice: Type.Enum(['resume', 'discard']) }, closed)),

  // Looking back
  'audit.verify': channel<AuditVerdict>()(nothing),
  'audit.accept': byHand<AuditVerdict>()(nothing),
  'history.export': channel<{ readonly file: string | null }>()(Type.Object({ format, ...callFilter }, closed)),
  'health.seen': channel<ReadableByCommands>()(nothing),
  'telemetry.get': channel<TelemetrySnapshot>()(
    Type.Object({ hours: Type.Integer({ minimum: 1, maximum: 24 * 366 }) }, closed),
  ),

  // Tools, settings, gateway
  'tools.list': channel<readonly ToolView[]>()(nothing),
  'tools.search': channel<ToolSearchResult>()(
    Type.Object({ query: Type.String({ maxLength: 4000 }), limit: Type.Integer({ minimum: 1, maximum: 50 }) }, closed),
  ),
  'tools.setPolicy': byHand<null>()(Type.Object({ tool: id, policy: Type.Enum(['allow', 'ask', 'deny']) }, closed)),
  'settings.get': channel<SettingsView>()(nothing),
  'settings.set': byHand<SettingsView>()(Type.Object({ key: id, value: jsonText }, closed)),
  'settings.reset': byHand<SettingsView>()(Type.Object({ key: id }, closed)),
  /** Answers “How should Gatehouse ask?”, where nothing was set yet. */
  'settings.chooseAsking': byHand<SettingsView>()(Type.Object({ asking: Type.Enum([...ASKING_PRESETS]) }, closed)),
  /** Chooses the preset later: its settings are set, and what else is there stays. */
  'settings.changeAsking': byHand<SettingsView>()(Type.Object({ asking: Type.Enum([...ASKING_PRESETS]) }, closed)),
  'settings.openFile': channel<null>()(Type.Object({ which: Type.Enum(['person', 'workspace', 'logs']) }, closed)),
  'secrets.set': byHand<SettingsView>()(Type.Object({ name: id, value: Type.String({ maxLength: 10_000 }) }, closed)),
  'secrets.remove': byHand<SettingsView>()(Type.Object({ name: id }, closed)),
  /** Describes the model that the settings name. */
  'models.about': channel<ModelInfo>()(nothing),
  /** Asks its provider for the list. */
  'models.list': byHand<ModelListing>()(nothing),
  /** Makes one small request, really. */
  'models.try': byHand<ModelTestResult>()(nothing),
  /** Looks for servers on this computer's usual ports. */
  'models.local': channel<readonly LocalServer[]>()(nothing),

  ...AGENT_CHANNELS,
  ...CLIENT_CHANNELS,
  ...CONVERSATION_CHANNELS,
  ...TRUST_CHANNELS,
  ...SOURCE_CHANNELS,
  ...DOMAIN_CHANNELS,
  ...PASTED_SOURCE_CHANNELS,
  ...HOOK_CHANNELS,
} as const;

export interface OutputWindow {
  readonly rows: readonly OutputRow[];
  readonly fromLine: number;
  /** Null while the output is still being counted. */
  readonly totalLines: number | null;
  readonly totalBytes: number;
}

export interface OutputMatches {
  /** Matches in order, as many as are told; `at` is an index in the row's text. */
  readonly places: readonly { readonly line: number; readonly at: number }[];
  readonly total: number;
  /** Whether these are all. */
  readonly complete: boolean;
}

type Channels = typeof CHANNELS;
export type ChannelName = keyof Channels;
export type RequestOf<Name extends ChannelName> = Static<Channels[Name]['request']>;
export type ResponseOf<Name extends ChannelName> =
  Channels[Name] extends Channel<TSchema, infer Response> ? Response : never;

export const CHANNEL_NAMES = Object.keys(CHANNELS) as readonly ChannelName[];

/** The client that the renderer gets: one function a channel, and the stream of events. */
export type BridgeClient = {
  /** `id` is the page's own number for it: it is told under that when it was answered. */
  readonly [Name in ChannelName]: (request: RequestOf<Name>, id?: number) => Promise<BridgeResult<ResponseOf<Name>>>;
};

/** The API that the preload exposes as `window.gatehouse`. */
export interface GatehouseApi {
  readonly client: BridgeClient;
  /** Calls `listener` with every event from now on, those together that came together; returns the way to stop. */
  readonly onEvents: (listener: (events: readonly AppEvent[]) => void) => () => void;
  /** Calls `listener` with the page's number of each request whose answer has left main. */
  readonly onAnswered: (listener: (id: number) => void) => void;
}

/** A message larger than this is refused unread. */
export const MAX_MESSAGE_BYTES = 8 * 1024 * 1024;
