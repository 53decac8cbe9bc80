import type { ServerResponse } from 'node:http';
import type { AppSnapshot, WorkspaceInfo } from '#contract/window/app-events.js';
import { isSettled } from '#contract/window/app-state.js';
import type { CallDetail, CallFilter, CallSummary } from '#contract/vocabulary/calls.js';
import type { JournalReader } from '../../domain/ports/journal.js';
import { sendError, sendJson } from './replies.js';

/** What the read side looks at. Nothing here can change anything. */
export interface ReadSide {
  /** Where tools come from besides those that are built in, as the wire has it. */
  readonly sources: () => readonly object[];
  readonly snapshot: () => AppSnapshot;
  readonly reader: () => Pick<JournalReader, 'page' | 'detail' | 'verify'>;
  /** Whether an agent may know of this folder. */
  readonly mayUse: (agent: string | null, folder: string) => boolean;
}

type Answer = (response: ServerResponse) => void;

const DEFAULT_LIMIT = 50;
const MAX_LIMIT = 500;
const LONGEST_PARAMETER = 1000;

/** The whole chain is looked at once at a time, whoever asks: all who wait for it get that answer. */
export function verifyingOnce(reader: ReadSide['reader']): ReadSide['reader'] {
  let underWay: ReturnType<JournalReader['verify']> | null = null;
  return () => {
    const { page, detail, verify } = reader();
    return { page, detail, verify: () => (underWay ??= verify().finally(() => (underWay = null))) };
  };
}

/** Null: there is no such path. An agent is shown what is its own; the person's own token (`agent` null) everything. */
export function readRoute(url: URL, side: ReadSide, agent: string | null): (() => Promise<Answer>) | null {
  const { pathname, searchParams } = url;
  if (pathname === '/v1/status') return async () => ok(status(side, agent));
  if (pathname === '/v1/approvals') return async () => ok({ approvals: approvals(side.snapshot(), agent) });
  if (pathname === '/v1/audit/verify') return async () => ok(await side.reader().verify());
  if (pathname === '/v1/sources') return async () => ok({ sources: side.sources() });
  if (pathname === '/v1/calls') return () => listCalls(searchParams, side, agent);
  const callId = /^\/v1\/calls\/([^/]{1,600})$/.exec(pathname)?.[1];
  if (callId !== undefined) return () => oneCall(callId, side, agent);
  return null;
}

const ok =
  (body: unknown): Answer =>
  (response) =>
    sendJson(response, 200, body);

const refuse =
  (httpStatus: number, code: string, message: string): Answer =>
  (response) =>
    sendError(response, httpStatus, code, message);

const isShown = (agent: string | null, of: { readonly agent: string | null }): boolean =>
  agent === null || of.agent === agent;

function status({ snapshot: now, mayUse }: ReadSide, agent: string | null): object {
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
    pending: unsettled.length - running,
    running,
    recovering: snapshot.recovery !== null,
  };
}

function approvals(snapshot: AppSnapshot, reader: string | null): readonly object[] {
  return snapshot.approvals
    .filter((approval) => isShown(reader, approval))
    .flatMap(({ batchId, door, client, agent, since, calls, behind }) =>
      [...calls, ...behind].map(({ callId, tool, summary, risk }) => ({
        callId,
        batchId,
        tool,
        summary,
        risk,
        door,
        client,
        agent,
        since,
      })),
    );
}

async function listCalls(parameters: URLSearchParams, side: ReadSide, agent: string | null): Promise<Answer> {
  const asked = parameters.get('limit') ?? String(DEFAULT_LIMIT);
  const limit = /^\d{1,4}$/.test(asked) ? Number(asked) : 0;
  if (limit < 1 || limit > MAX_LIMIT)
    return refuse(
      400,
      'BadRequest',
      `limit must be a whole number from 1 to ${MAX_LIMIT}, not “${asked.slice(0, 40)}”.`,
    );
  for (const [name, value] of parameters)
    if (value.length > LONGEST_PARAMETER)
      return refuse(400, 'BadRequest', `${name} is longer than ${LONGEST_PARAMETER} characters.`);
  const before = parameters.get('before');
  const filter: CallFilter = {
    ...given('query', parameters.get('query')),
    ...given('tool', parameters.get('tool')),
    ...given('state', parameters.get('state')),
    ...given('agent', agent ?? parameters.get('agent')),
  };
  try {
    const page = await side.reader().page({ limit, before: before === '' ? null : before, filter });
    return ok({ calls: page.calls.map(callOnTheWire), next: page.next });
  } catch (error) {
    // By name: the journal is another part, and its class is not known here.
    if (error instanceof Error && error.name === 'BadCursorError') return refuse(400, 'BadRequest', error.message);
    throw error;
  }
}

function given<Name extends string>(name: Name, value: string | null): { readonly [key in Name]?: string } {
  return value === null || value === '' ? {} : ({ [name]: value } as { readonly [key in Name]: string });
}

async function oneCall(encoded: string, side: ReadSide, agent: string | null): Promise<Answer> {
  const callId = decode(encoded);
  const detail = callId === null ? null : await side.reader().detail(callId);
  // Of others' calls it says the same as of calls that never were.
  if (detail === null || !isShown(agent, detail))
    return refuse(404, 'NotFound', 'There is no call with this id. GET /v1/calls lists those there are.');
  return ok(detailOnTheWire(detail));
}

function decode(text: string): string | null {
  try {
    return decodeURIComponent(text);
  } catch {
    return null;
  }
}

/** The contract's fields, and none that are only for showing. */
function callOnTheWire(call: CallSummary): object {
  const { callId, batchId, tool, toolId, version, state, outcome, code, door, client, agent, startedAt, durationMs } =
    call;
  return { callId, batchId, tool, toolId, version, state, outcome, code, door, client, agent, startedAt, durationMs };
}

function detailOnTheWire(detail: CallDetail): object {
  const { originalArguments, result, reason, outputBytes, outputBytesLeftOut, confinement } = detail;
  return {
    ...callOnTheWire(detail),
    arguments: detail.arguments,
    originalArguments,
    capabilities: detail.capabilities,
    result,
    reason,
    outputBytes,
    outputBytesLeftOut,
    redactions: detail.redactions,
    warnings: detail.warnings,
    e_code: detail.eCode,
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
