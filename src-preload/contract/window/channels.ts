import Type, { type Static, type TSchema } from 'typebox';
import type { AgentView, CreatedAgent } from './agents.js';
import type { AppEvent, AppSnapshot } from './app-events.js';
import { PLACES } from './app-events.js';
import type { ApprovalRequest } from './approvals.js';
import { type CallDetail, type CallPage, DOORS } from '../vocabulary/calls.js';
import type { PutAsideView } from '../vocabulary/put-aside.js';
import type { BridgeResult } from '../vocabulary/result.js';
import type { SettingsView } from './settings.js';
import type { AuditVerdict, TelemetrySnapshot } from '../vocabulary/telemetry.js';
import type { PlanPreview } from '../vocabulary/tools.js';
import type { ToolView } from './tools.js';
import type { UndoPreview } from '../vocabulary/undo.js';

/**
 * The one table of everything the window can ask of main. The client, main's required handlers, the allow-list at
 * run time and the validation of every message come from it, so nothing can cross that is not written here.
 */
interface Channel<Request extends TSchema, Response> {
  readonly request: Request;
  /** Only what a person does themselves may ask this: it decides, loosens, or acts in their name. */
  readonly byHand: boolean;
  /** Never set: it carries the response's type. */
  readonly response?: Response;
}

const channel =
  <Response>() =>
  <Request extends TSchema>(request: Request): Channel<Request, Response> => ({ request, byHand: false });

/** Answered only right after a key or click of the person, which a script in the page can't make. */
const byHand =
  <Response>() =>
  <Request extends TSchema>(request: Request): Channel<Request, Response> => ({ request, byHand: true });

const closed = { additionalProperties: false } as const;
const nothing = Type.Object({}, closed);
const id = Type.String({ minLength: 1, maxLength: 200 });
const path = Type.String({ minLength: 1, maxLength: 4096 });
/** JSON in a string: main parses it itself, and can say where it is wrong. */
const jsonText = Type.String({ maxLength: 4_000_000 });
const callFilter = {
  query: Type.Optional(Type.String({ maxLength: 1000 })),
  tool: Type.Optional(Type.String({ maxLength: 200 })),
  state: Type.Optional(Type.String({ maxLength: 40 })),
  door: Type.Optional(Type.Enum([...DOORS])),
  agent: Type.Optional(Type.String({ maxLength: 32 })),
  from: Type.Optional(Type.Number()),
  to: Type.Optional(Type.Number()),
};
const format = Type.Enum(['markdown', 'json', 'jsonl', 'cloudevents']);

export const CHANNELS = {
  // The app
  'app.snapshot': channel<AppSnapshot>()(nothing),
  'app.answer': byHand<null>()(Type.Object({ yes: Type.Boolean() }, closed)),
  'app.openExternal': channel<null>()(Type.Object({ url: Type.String({ maxLength: 2000 }) }, closed)),
  'app.copyText': channel<null>()(Type.Object({ text: Type.String({ maxLength: 4_000_000 }) }, closed)),
  'app.setTheme': channel<null>()(Type.Object({ theme: Type.Enum(['system', 'light', 'dark']) }, closed)),
  'app.showPlace': channel<null>()(Type.Object({ place: Type.Enum([...PLACES]) }, closed)),
  'notices.dismiss': channel<null>()(Type.Object({ id }, closed)),
  /** Presses the notice's own button. */
  'notices.act': byHand<null>()(Type.Object({ id }, closed)),

  // The workspace
  'workspace.choose': byHand<null>()(nothing),
  'workspace.open': byHand<null>()(Type.Object({ path }, closed)),
  'workspace.forgetRecent': channel<null>()(Type.Object({ path }, closed)),

  // Asking for calls
  'compose.run': byHand<{ readonly batchId: string; readonly callIds: readonly string[] }>()(
    Type.Object(
      { calls: Type.Array(Type.Object({ tool: id, arguments: jsonText }, closed), { minItems: 1, maxItems: 1000 }) },
      closed,
    ),
  ),
  'compose.plan': channel<PlanPreview>()(Type.Object({ tool: id, arguments: jsonText }, closed)),

  // Watching and stopping them
  'calls.list': channel<CallPage>()(
    Type.Object(
      { limit: Type.Integer({ minimum: 1, maximum: 500 }), before: Type.Optional(id), ...callFilter },
      closed,
    ),
  ),
  'calls.get': channel<CallDetail>()(Type.Object({ callId: id }, closed)),
  'calls.stop': channel<null>()(Type.Object({ callId: id }, closed)),
  'batches.stop': channel<null>()(Type.Object({ batchId: id }, closed)),
  /** A window of the stored output, in lines, so that a gigabyte opens at once. */
  'calls.output': channel<OutputWindow>()(
    Type.Object(
      {
        callId: id,
        stream: Type.Enum(['stdout', 'stderr']),
        fromLine: Type.Integer({ minimum: 0 }),
        lines: Type.Integer({ minimum: 1, maximum: 5000 }),
      },
      closed,
    ),
  ),
  'calls.searchOutput': channel<OutputMatches>()(
    Type.Object(
      {
        callId: id,
        stream: Type.Enum(['stdout', 'stderr']),
        query: Type.String({ minLength: 1, maxLength: 500 }),
        fromLine: Type.Integer({ minimum: 0 }),
      },
      closed,
    ),
  ),

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
        reason: Type.Optional(Type.String({ maxLength: 4000 })),
        reasons: Type.Optional(
          Type.Array(Type.Object({ callId: id, reason: Type.String({ maxLength: 4000 }) }, closed)),
        ),
        /** The calls that may use the network, this once. */
        network: Type.Optional(Type.Array(id)),
        /** The calls that may write to `.git`, this once. */
        writesGit: Type.Optional(Type.Array(id)),
        remember: Type.Optional(
          Type.Object(
            {
              callIds: Type.Array(id),
              scope: Type.Enum(['session', 'workspace', 'always']),
              prefix: Type.Optional(Type.String({ maxLength: 4000 })),
            },
            closed,
          ),
        ),
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
  /** The same validation and planning an edit would get, without making it. */
  'approvals.checkEdit': channel<PlanPreview>()(Type.Object({ callId: id, arguments: jsonText }, closed)),
  'approvals.close': channel<null>()(Type.Object({ batchId: id }, closed)),
  'results.submit': byHand<null>()(
    Type.Object(
      { callId: id, result: Type.String({ maxLength: 4_000_000 }), isError: Type.Optional(Type.Boolean()) },
      closed,
    ),
  ),

  // Taking back
  'undo.preview': channel<UndoPreview>()(Type.Object({ callId: id }, closed)),
  'undo.apply': byHand<{ readonly callId: string }>()(
    Type.Object({ callId: id, paths: Type.Optional(Type.Array(path)) }, closed),
  ),
  'aside.view': channel<PutAsideView>()(Type.Object({ callId: id }, closed)),
  'aside.putBack': byHand<{ readonly callId: string }>()(
    Type.Object({ callId: id, paths: Type.Optional(Type.Array(path)) }, closed),
  ),
  'recovery.decide': byHand<null>()(Type.Object({ choice: Type.Enum(['resume', 'discard']) }, closed)),

  // Looking back
  'audit.verify': channel<AuditVerdict>()(nothing),
  'audit.accept': byHand<AuditVerdict>()(nothing),
  'history.export': channel<{ readonly file: string | null }>()(Type.Object({ format, ...callFilter }, closed)),
  'telemetry.get': channel<TelemetrySnapshot>()(
    Type.Object({ hours: Type.Integer({ minimum: 1, maximum: 24 * 366 }) }, closed),
  ),

  // Tools, settings, gateway
  'tools.list': channel<readonly ToolView[]>()(nothing),
  'tools.setPolicy': byHand<null>()(Type.Object({ tool: id, policy: Type.Enum(['allow', 'ask', 'deny']) }, closed)),
  'settings.get': channel<SettingsView>()(nothing),
  'settings.set': byHand<SettingsView>()(Type.Object({ key: id, value: jsonText }, closed)),
  'settings.reset': byHand<SettingsView>()(Type.Object({ key: id }, closed)),
  'settings.openFile': channel<null>()(Type.Object({ which: Type.Enum(['person', 'workspace', 'logs']) }, closed)),
  'secrets.set': byHand<SettingsView>()(Type.Object({ name: id, value: Type.String({ maxLength: 10_000 }) }, closed)),
  'secrets.remove': byHand<SettingsView>()(Type.Object({ name: id }, closed)),
  'agents.list': channel<readonly AgentView[]>()(nothing),
  'agents.create': byHand<CreatedAgent>()(Type.Object({ name: Type.String({ maxLength: 200 }) }, closed)),
  'agents.revoke': byHand<null>()(Type.Object({ name: id }, closed)),
  'gateway.setEnabled': byHand<null>()(Type.Object({ enabled: Type.Boolean() }, closed)),
  'gateway.rotateToken': byHand<null>()(nothing),
  'gateway.disconnect': channel<null>()(Type.Object({ sessionId: id }, closed)),
  'gateway.connectInfo': channel<ConnectInfo>()(nothing),
  /** Asks the gateway for its status, as a client would. */
  'gateway.test': channel<GatewayTest>()(nothing),
} as const;

export interface OutputWindow {
  readonly text: string;
  readonly fromLine: number;
  /** Null while the output is still being counted. */
  readonly totalLines: number | null;
  readonly totalBytes: number;
}

export interface OutputMatches {
  readonly lines: readonly number[];
  readonly complete: boolean;
}

/** What the Connect page needs to write configuration for an agent. */
export interface ConnectInfo {
  /** The program and arguments of `--mcp-stdio`. */
  readonly command: string;
  readonly args: readonly string[];
  readonly url: string | null;
  readonly token: string | null;
}

export interface GatewayTest {
  readonly ok: boolean;
  /** What came back, or what went wrong and what to do. */
  readonly text: string;
}

type Channels = typeof CHANNELS;
export type ChannelName = keyof Channels;
export type RequestOf<Name extends ChannelName> = Static<Channels[Name]['request']>;
export type ResponseOf<Name extends ChannelName> =
  Channels[Name] extends Channel<TSchema, infer Response> ? Response : never;

export const CHANNEL_NAMES = Object.keys(CHANNELS) as readonly ChannelName[];

/** The client that the renderer gets: one function a channel, and the stream of events. */
export type BridgeClient = {
  readonly [Name in ChannelName]: (request: RequestOf<Name>) => Promise<BridgeResult<ResponseOf<Name>>>;
};

/** What the preload exposes as `window.gatehouse`. */
export interface GatehouseApi {
  readonly client: BridgeClient;
  /** Calls `listener` for every event from now on; returns the way to stop. */
  readonly onEvent: (listener: (event: AppEvent) => void) => () => void;
}

/** A message larger than this is refused unread. */
export const MAX_MESSAGE_BYTES = 8 * 1024 * 1024;
