import type { IncomingMessage, ServerResponse } from 'node:http';
import { isInitializeRequest, isLegacyRequest } from '@modelcontextprotocol/server';
import type { ConnectedClient, ToolsMode } from '../../../src-preload/contract/app-events.js';
import type { Gate } from '../../domain/gate.js';
import { PROGRESS_PACE, type ProgressPace } from './call-progress.js';
import { type Caller, connectedClient } from './caller.js';
import { openExchange, sendAnswer } from './exchange.js';
import type { McpExtension, McpService } from './mcp-server.js';
import { createRateLimit, type RateLimit } from './rate-limit.js';
import type { OutputSource } from './serve-outputs.js';
import { createSession, type Session } from './session.js';
import { createSessionless, type Origin } from './sessionless.js';

export interface McpLimits {
  readonly sessions: number;
  /** Calls one client may have in flight. */
  readonly inFlight: number;
  /** Requests one client may send. */
  readonly rate: { readonly burst: number; readonly perSecond: number };
  /** A session is over after this much silence with nothing open. */
  readonly idleMs: number;
}

export const MCP_LIMITS: McpLimits = {
  sessions: 256,
  inFlight: 256,
  rate: { burst: 4000, perSecond: 2000 },
  idleMs: 30 * 60_000,
};

export interface McpDoorOptions {
  readonly gate: Gate;
  readonly version: string;
  readonly mode: () => ToolsMode;
  readonly whenClientLeaves: () => 'cancel' | 'keep';
  readonly outputs?: OutputSource;
  /** More for each new session. */
  readonly extension?: () => McpExtension | null;
  readonly limits?: McpLimits;
  readonly pace?: ProgressPace;
}

export interface McpDoor {
  handle(request: IncomingMessage, response: ServerResponse, body: string | null): Promise<void>;
  clients(): readonly ConnectedClient[];
  onClientsChange(listener: () => void): () => void;
  /** False when there is no such client (any more). Its calls are cancelled. */
  disconnect(sessionId: string): boolean;
  disconnectAll(reason: string): void;
  close(): Promise<void>;
}

/** `--mcp-stdio` says that it stands between, and which of its runs it is. */
const BRIDGE_HEADER = 'x-gatehouse-bridge';

export function createMcpDoor(options: McpDoorOptions): McpDoor {
  const limits = options.limits ?? MCP_LIMITS;
  const now = (): number => Date.now();
  const listeners = new Set<() => void>();
  const sessions = new Map<string, Session>();
  const rates = new WeakMap<Caller, RateLimit>();
  const rateOfNewcomers = createRateLimit(limits.rate);
  const changed = (): void => {
    for (const listener of listeners) listener();
  };
  const service: McpService = {
    gate: options.gate,
    mode: options.mode,
    whenClientLeaves: options.whenClientLeaves,
    maxInFlight: limits.inFlight,
    pace: options.pace ?? PROGRESS_PACE,
    onActivity: changed,
    version: options.version,
    outputs: options.outputs ?? null,
    extension: options.extension ?? (() => null),
  };
  const sessionless = createSessionless(service, now);
  const stopWatchingTools = options.gate.onAdvertisedChange(() => {
    for (const session of sessions.values()) session.toolsChanged();
    sessionless.toolsChanged();
  });
  const sweep = setInterval(
    () => {
      const before = now() - limits.idleMs;
      for (const session of sessions.values())
        if (!session.isBusy() && session.caller.lastSeen < before) void session.close('left');
      sessionless.forgetIdle(before);
    },
    Math.min(60_000, limits.idleMs),
  );
  sweep.unref();

  const withinRate = (caller: Caller | null, response: ServerResponse): boolean => {
    let rate = caller === null ? rateOfNewcomers : rates.get(caller);
    if (rate === undefined) {
      rate = createRateLimit(limits.rate);
      if (caller !== null) rates.set(caller, rate);
    }
    if (rate.take()) return true;
    void sendAnswer(rpcError(429, -32_000, 'Too many requests. Slow down.', { 'retry-after': '1' }), response);
    return false;
  };

  /** Room for one more: the session silent for longest goes, if it has nothing open. */
  const makeRoom = async (): Promise<boolean> => {
    if (sessions.size < limits.sessions) return true;
    const idle = [...sessions.values()]
      .filter((session) => !session.isBusy())
      .sort((a, b) => a.caller.lastSeen - b.caller.lastSeen)[0];
    await idle?.close('left');
    return idle !== undefined;
  };

  const openSession = async (origin: Origin, response: ServerResponse): Promise<Session | null> => {
    if (!withinRate(null, response)) return null;
    if (!(await makeRoom())) {
      await sendAnswer(
        rpcError(503, -32_000, `${limits.sessions} clients are connected, which is the limit.`),
        response,
      );
      return null;
    }
    return createSession(origin.transport, service, {
      now,
      onInitialized: (session) => {
        sessions.set(session.caller.sessionId, session);
        changed();
      },
      onClosed: (session) => {
        sessions.delete(session.caller.sessionId);
        changed();
      },
    });
  };

  const handle = async (incoming: IncomingMessage, response: ServerResponse, body: string | null): Promise<void> => {
    const message = body === null ? undefined : parse(body);
    if (body !== null && message === undefined)
      return sendAnswer(rpcError(400, -32_700, 'Parse error: the body is not valid JSON.'), response);
    const exchange = openExchange(incoming, response);
    const origin = originOf(incoming);
    if (incoming.method === 'POST' && !(await isLegacyRequest(exchange.request, message)))
      return sessionless.handle(exchange, response, message, origin, (caller) => withinRate(caller, response));
    const id = incoming.headers['mcp-session-id'];
    if (id === undefined && isInitializeRequest(message)) {
      const opened = await openSession(origin, response);
      return opened?.handle(exchange, response, message);
    }
    if (id === undefined)
      return sendAnswer(
        rpcError(400, -32_000, 'Send an initialize request first, then the Mcp-Session-Id it gave.'),
        response,
      );
    const session = typeof id === 'string' ? sessions.get(id) : undefined;
    if (session === undefined)
      return sendAnswer(rpcError(404, -32_001, 'There is no such session (any more). Initialize again.'), response);
    if (!withinRate(session.caller, response)) return undefined;
    return session.handle(exchange, response, message);
  };

  const endAll = (): void => {
    for (const session of sessions.values()) void session.close('put-out');
    for (const caller of sessionless.callers()) sessionless.disconnect(caller.sessionId, 'put-out');
  };

  return {
    handle,
    clients: () =>
      [...[...sessions.values()].map((session) => session.caller), ...sessionless.callers()].map(connectedClient),
    onClientsChange(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    disconnect(sessionId) {
      const session = sessions.get(sessionId);
      if (session === undefined) return sessionless.disconnect(sessionId, 'put-out');
      void session.close('put-out');
      return true;
    },
    disconnectAll: endAll,
    async close() {
      clearInterval(sweep);
      stopWatchingTools();
      endAll();
      await sessionless.close();
    },
  };
}

function originOf(incoming: IncomingMessage): Origin {
  const bridge = incoming.headers[BRIDGE_HEADER];
  const valid = typeof bridge === 'string' && /^[A-Za-z0-9-]{8,64}$/.test(bridge);
  return { transport: valid ? 'stdio' : 'http', bridge: valid ? bridge : null };
}

function parse(body: string): unknown {
  try {
    return JSON.parse(body) as unknown;
  } catch {
    return undefined;
  }
}

function rpcError(status: number, code: number, message: string, headers: Record<string, string> = {}): Response {
  return Response.json({ jsonrpc: '2.0', id: null, error: { code, message } }, { status, headers });
}
