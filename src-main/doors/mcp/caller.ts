import { isJSONRPCRequest } from '@modelcontextprotocol/server';
import type { ConnectedClient } from '#contract/window/app-events.js';
import type { Credential } from '#contract/vocabulary/calls.js';
import { type Asker, makeAsker, type Bearer } from '../../domain/call/asker.js';
import type { FolderAdmission } from '../../domain/ports/gate/gate.js';
import type { Departure } from '../ask-for-call.js';

/** A client that speaks over one session: what the window shows of it, and what it has in flight. */
export interface McpCaller extends Pick<ConnectedClient, 'sessionId' | 'transport' | 'since' | 'agent'> {
  readonly credential: Credential;
  /** The folder that it works in, for its life; '' as long as none was open. */
  folder: string;
  /** The admission that its calls wait for where its folder is not open; null where nobody is asked. */
  readonly admission: FolderAdmission | null;
  /** Whether it is the window's own test call. */
  readonly isTest: boolean;
  /** “name version”; “unknown client” for who says nothing of itself. */
  name: string;
  calls: number;
  lastSeen: number;
  /** How to end each call in flight. */
  readonly inFlight: Map<object, (departure: Departure) => void>;
  /** The names of tools that it called: they stay in its list. */
  readonly used: Set<string>;
  /** The ids of its last calls: their stored output is its own to read. */
  readonly made: Set<string>;
}

export function createCaller(
  sessionId: string,
  transport: ConnectedClient['transport'],
  { agent, credential }: Bearer,
  folder: string,
  now: number,
  admission: FolderAdmission | null = null,
  isTest = false,
): McpCaller {
  return {
    sessionId,
    transport,
    agent,
    credential,
    folder,
    admission,
    isTest,
    since: now,
    name: 'unknown client',
    calls: 0,
    lastSeen: now,
    inFlight: new Map(),
    made: new Set(),
    used: new Set(),
  };
}

/** Builds the asker of its calls. The client's name may change until it has introduced itself. */
export const askerOf = ({ name, sessionId, agent, credential, isTest }: McpCaller): Asker<'mcp' | 'compose'> =>
  // The person pressed for it: what it reads is given to nobody.
  isTest ? makeAsker('compose', sessionId) : makeAsker('mcp', sessionId, { client: name, agent, credential });

const MAX_NAME = 100;
const MAX_READ_NAME = 1000;

/** Cleans the name that a client gives itself, for the person who decides: one short line of visible characters. */
export function clientName(info: { readonly name: string; readonly version: string } | undefined): string {
  if (info === undefined) return 'unknown client';
  // Cut first: looking at all of four megabytes would keep everybody waiting.
  const text = `${info.name.slice(0, MAX_READ_NAME)} ${info.version.slice(0, MAX_READ_NAME)}`
    // Control, format (bidi overrides, zero-width), private-use and unassigned characters could disguise the name.
    .replaceAll(/[\p{C}\p{Zl}\p{Zp}]/gu, '')
    .replaceAll(/\s+/gu, ' ')
    .trim();
  if (text === '') return 'unknown client';
  return text.length > MAX_NAME ? `${text.slice(0, MAX_NAME - 1)}…` : text;
}

const CLIENT_INFO = 'io.modelcontextprotocol/clientInfo';

/** Reads who the client says it is, from a request without a session. */
export function infoOf(message: unknown): { readonly name: string; readonly version: string } | undefined {
  const { params } = (message ?? {}) as { readonly params?: { readonly _meta?: Readonly<Record<string, unknown>> } };
  const { _meta: meta } = params ?? {};
  const info = meta?.[CLIENT_INFO] as { readonly name?: unknown; readonly version?: unknown } | undefined;
  if (typeof info?.name !== 'string') return undefined;
  return { name: info.name, version: typeof info.version === 'string' ? info.version : '' };
}

/** A session's client says who it is when it begins. */
export function nameFrom(message: unknown, caller: McpCaller): void {
  if (!isJSONRPCRequest(message) || message.method !== 'initialize') return;
  const info = message.params?.['clientInfo'] as { readonly name?: unknown; readonly version?: unknown } | undefined;
  if (typeof info?.name === 'string')
    caller.name = clientName({ name: info.name, version: typeof info.version === 'string' ? info.version : '' });
}

export function connectedClient(caller: McpCaller): ConnectedClient {
  const { sessionId, name, agent, folder, transport, since, calls } = caller;
  return { sessionId, name, agent, folder, transport, since, calls };
}

const CALLS_REMEMBERED = 1000;

export function rememberCall(caller: McpCaller, callId: string): void {
  caller.made.add(callId);
  const [oldest] = caller.made;
  if (caller.made.size > CALLS_REMEMBERED && oldest !== undefined) caller.made.delete(oldest);
}

const TOOLS_REMEMBERED = 200;

export function rememberTool({ used }: McpCaller, name: string): void {
  used.add(name);
  const [oldest] = used;
  if (used.size > TOOLS_REMEMBERED && oldest !== undefined) used.delete(oldest);
}

/** Ends all that a caller has in flight. */
export function endCalls(caller: McpCaller, departure: Departure): void {
  for (const end of caller.inFlight.values()) end(departure);
}
