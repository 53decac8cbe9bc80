import Type from 'typebox';
import type { AppSnapshot, WorkspaceInfo } from '#contract/window/app-events.js';
import { describeFolderQuestion } from '#contract/window/folder-questions.js';
import { isPending, isSettled } from '#contract/window/app-state.js';
import type { CallDetail, CallFilter, CallSummary } from '#contract/vocabulary/calls.js';
import type { Bearer } from '../../domain/call/asker.js';
import type { JournalReader } from '../../domain/ports/journal.js';
import {
  ApprovalsSchema,
  CallDetailSchema,
  CallPageSchema,
  SourcesSchema,
  StatusSchema,
  VerdictSchema,
} from './call-schemas.js';
import { eCodeOf } from '../e-codes.js';
import { answerWith, errorAnswer, ErrorSchema, type Route, route } from './route.js';

/** The dependencies of the routes that read. Nothing here can change anything. */
export interface ReadRoutesDeps {
  /** Where tools come from besides those that are built in, as the wire has it. */
  readonly sources: () => readonly object[];
  readonly snapshot: () => AppSnapshot;
  readonly reader: () => Pick<JournalReader, 'page' | 'detail' | 'verify'>;
  /** Puts on record that who asks is told what a call said; false where it is not to be told. */
  readonly give: (bearer: Bearer, callId: string) => Promise<boolean>;
  /** Whether an agent may know of this folder. */
  readonly mayUse: (agent: string | null, folder: string) => boolean;
}

const DEFAULT_LIMIT = 50;
const MAX_LIMIT = 500;
const MAX_PARAMETER = 1000;

/** The whole chain is looked at once at a time, whoever asks: all who wait for it get that answer. */
export function verifyingOnce(reader: ReadRoutesDeps['reader']): ReadRoutesDeps['reader'] {
  let underWay: ReturnType<JournalReader['verify']> | null = null;
  return () => {
    const { page, detail, verify } = reader();
    return { page, detail, verify: () => (underWay ??= verify().finally(() => (underWay = null))) };
  };
}

/** An agent is shown what is its own; the person's own token (`agent` null) everything. */
export function readRoutes(readSide: ReadRoutesDeps): readonly Route[] {
  const side: ReadRoutesDeps = { ...readSide, reader: verifyingOnce(readSide.reader) };
  return [
    route(
      {
        method: 'GET',
        path: '/v1/status',
        operationId: 'getStatus',
        summary: 'What the app is about',
        answers: { 200: { description: 'As it is now.', schema: StatusSchema } },
        readsRecord: true,
      },
      ({ bearer }) => ok(status(side, bearer.agent)),
    ),
    route(
      {
        method: 'GET',
        path: '/v1/approvals',
        operationId: 'listApprovals',
        summary: 'What waits for the person',
        description: 'There is no way to approve over HTTP: only the person in the window, or policy.',
        answers: { 200: { description: 'Oldest first.', schema: ApprovalsSchema } },
        readsRecord: true,
      },
      ({ bearer }) => ok({ approvals: approvals(side.snapshot(), bearer.agent) }),
    ),
    route(
      {
        method: 'GET',
        path: '/v1/audit/verify',
        operationId: 'verifyAudit',
        summary: 'Looks at the whole chain of the record',
        answers: { 200: { description: 'Whether it holds.', schema: VerdictSchema } },
        readsRecord: true,
      },
      async () => ok(await side.reader().verify()),
    ),
    route(
      {
        method: 'GET',
        path: '/v1/sources',
        operationId: 'listSources',
        summary: 'Where tools come from besides those that are built in',
        answers: { 200: { description: 'Each with its state.', schema: SourcesSchema } },
        readsRecord: true,
      },
      ({ bearer }) => ok({ sources: bearer.agent === null ? side.sources() : side.sources().map(forAgents) }),
    ),
    ...callRoutes(side),
  ];
}

/** Where a source’s files are and what is wrong with them is the person’s: an agent is told that something was refused. */
function forAgents(source: object): object {
  const { problem, refused, ...rest } = source as { readonly problem?: unknown; readonly refused?: unknown };
  return {
    ...rest,
    ...(problem === undefined ? {} : { problem: null }),
    refused: (Array.isArray(refused) ? (refused as readonly object[]) : []).map((each) => ({
      ...each,
      file: null,
      line: null,
      reason: null,
    })),
  };
}

function callRoutes(side: ReadRoutesDeps): readonly Route[] {
  const parameter = Type.Optional(Type.String({ maxLength: MAX_PARAMETER }));
  return [
    route(
      {
        method: 'GET',
        path: '/v1/calls',
        operationId: 'listCalls',
        summary: 'Calls, newest first',
        query: {
          limit: Type.Optional(Type.Integer({ minimum: 1, maximum: MAX_LIMIT, default: DEFAULT_LIMIT })),
          before: parameter,
          query: parameter,
          tool: parameter,
          state: parameter,
          agent: parameter,
        },
        answers: {
          200: { description: 'One page.', schema: CallPageSchema },
          400: { description: 'A parameter is wrong.', schema: ErrorSchema },
        },
        readsRecord: true,
      },
      async ({ query, bearer }) => listCalls(query, side, bearer),
    ),
    route(
      {
        method: 'GET',
        path: '/v1/calls/{callId}',
        operationId: 'getCall',
        summary: 'One call, whole',
        parameters: { callId: Type.String() },
        answers: {
          200: { description: 'The call.', schema: CallDetailSchema },
          404: { description: 'There is none with this id, or it is another’s.', schema: ErrorSchema },
          503: { description: 'The record can’t be written now.', schema: ErrorSchema },
        },
        readsRecord: true,
      },
      async ({ parameters, bearer }) => oneCall(parameters.callId, side, bearer),
    ),
  ];
}

const ok = <Body>(body: Body) => answerWith(200, body);

const isShown = (agent: string | null, of: { readonly agent: string | null }): boolean =>
  agent === null || of.agent === agent;

function status({ snapshot: now, mayUse }: ReadRoutesDeps, agent: string | null) {
  const snapshot = now();
  const isKnown = ({ path }: WorkspaceInfo): boolean => mayUse(agent, path);
  const { workspace } = snapshot;
  const unsettled = snapshot.calls.filter((call) => !isSettled(call) && isShown(agent, call));
  const running = unsettled.filter((call) => call.state === 'EXECUTING').length;
  return {
    version: snapshot.status.version,
    workspace: workspace !== null && isKnown(workspace) ? workspace.path : null,
    workspaces: snapshot.workspaces.filter(isKnown).map(({ path }) => path),
    mode: snapshot.status.mode,
    journal: snapshot.status.journal.state,
    pending: unsettled.filter(isPending).length + folderQuestions(snapshot, agent).length,
    running,
    recovering: snapshot.recovery !== null,
  };
}

const folderQuestions = (snapshot: AppSnapshot, reader: string | null) =>
  snapshot.folderQuestions.filter((question) => isShown(reader, question));

function approvals(snapshot: AppSnapshot, reader: string | null) {
  const folders = folderQuestions(snapshot, reader).map((question) => ({
    callId: question.callId,
    batchId: question.batchId,
    tool: question.tool,
    summary: describeFolderQuestion(question, question.folder),
    risk: 'medium' as const,
    for: 'folder' as const,
    folder: question.folder,
    door: 'mcp' as const,
    client: question.client,
    agent: question.agent,
    since: question.since,
  }));
  const sheets = snapshot.approvals
    .filter((approval) => isShown(reader, approval))
    .flatMap(({ batchId, door, client, agent, since, calls, behind }) =>
      [...calls, ...behind].map(({ callId, tool, summary, risk }) => ({
        callId,
        batchId,
        tool,
        summary,
        risk,
        for: 'run' as const,
        door,
        client,
        agent,
        since,
      })),
    );
  return [...folders, ...sheets].toSorted((one, other) => one.since - other.since);
}

interface CallQuery {
  readonly limit?: number;
  readonly before?: string;
  readonly query?: string;
  readonly tool?: string;
  readonly state?: string;
  readonly agent?: string;
}

async function listCalls(asked: CallQuery, side: ReadRoutesDeps, { agent, life }: Bearer) {
  const { limit = DEFAULT_LIMIT, before = null, ...rest } = asked;
  const filter: CallFilter = {
    ...rest,
    ...(agent === null ? {} : { agent, from: life?.since ?? 0 }),
  };
  try {
    const page = await side.reader().page({ limit, before, filter });
    return ok({ calls: page.calls.map(callOnTheWire), next: page.next });
  } catch (error) {
    // The error is known by its name: the journal is another part, and its class is not known here.
    if (error instanceof Error && error.name === 'BadCursorError') return errorAnswer(400, 'BadRequest', error.message);
    throw error;
  }
}

async function oneCall(callId: string, side: ReadRoutesDeps, bearer: Bearer) {
  const detail = await side.reader().detail(callId);
  // The answer is the same for others' calls as for calls that never were.
  if (detail === null || !isShown(bearer.agent, detail) || detail.startedAt < (bearer.life?.since ?? 0))
    return errorAnswer(404, 'NotFound', 'There is no call with this id. GET /v1/calls lists those there are.');
  if (!(await side.give(bearer, callId)))
    return errorAnswer(
      503,
      'Unavailable',
      'It can’t be recorded that you are told this, so you are not. Ask again later.',
    );
  return ok(detailOnTheWire(detail));
}

/** The contract's fields, and none that are only for showing. */
function callOnTheWire(call: CallSummary) {
  const { callId, batchId, tool, toolId, version, state, outcome, code, door, client, agent, startedAt, durationMs } =
    call;
  return { callId, batchId, tool, toolId, version, state, outcome, code, door, client, agent, startedAt, durationMs };
}

function detailOnTheWire(detail: CallDetail) {
  const { originalArguments, result, reason, outputBytes, outputBytesLeftOut, confinement } = detail;
  return {
    ...callOnTheWire(detail),
    providerCallId: detail.providerCallId,
    arguments: detail.arguments,
    originalArguments,
    capabilities: detail.capabilities,
    result,
    reason,
    outputBytes,
    outputBytesLeftOut,
    redactions: detail.redactions,
    warnings: detail.warnings,
    e_code: detail.code === null ? null : eCodeOf({ code: detail.code, eCode: detail.eCode }),
    repeats: detail.repeats,
    confinement,
    changedFiles: detail.changedFiles,
    putAside: detail.putAside.map(({ path, change }) => ({ path, change })),
    events: detail.events,
    structured: detail.structured,
    undoneBy: detail.undoneBy,
    undoes: detail.undoes[0] ?? null,
  };
}
