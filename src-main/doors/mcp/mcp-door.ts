import { Listeners } from '../../platform/listeners.js';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { isInitializeRequest, isLegacyRequest } from '@modelcontextprotocol/server';
import type { ConnectedClient, ToolsMode } from '#contract/window/app-events.js';
import type { Bearer } from '../../domain/call/asker.js';
import type { Gate } from '../../domain/ports/gate/gate.js';
import { type AgentLimits, createAgentUse } from './agent-use.js';
import { PROGRESS_PACE, type ProgressPace } from './call-progress.js';
import { type Caller, connectedClient } from './caller.js';
import { openExchange, sendAnswer } from './exchange.js';
import type { McpExtension, McpService } from './mcp-server.js';
import { createRateLimit, type RateLimit } from './rate-limit.js';
import { createPipe, type Pipe, type PipeStream } from './pipe.js';
import type { OutputSource } from './serve-outputs.js';
import { createSession, type Session } from './session.js';
import { createSessionless } from './sessionless.js';

export interface McpLimits {
  /** Sessions with the person's own token. */
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
  /** What each agent may take up; none for the person's own token. */
  readonly agentLimits: AgentLimits;
  readonly outputs?: OutputSource;
  /** More for each new session. */
  readonly extension?: () => McpExtension | null;
  readonly limits?: McpLimits;
  readonly pace?: ProgressPace;
}

export interface McpDoor {
  handle(request: IncomingMessage, response: ServerResponse, body: string | null, bearer: Bearer): Promise<void>;
  /** A client at the other end of a pipe, which says whose it is; null for an unnamed one. Why it is not taken, or null. */
  connectPipe(stream: PipeStream, agent: string | null): string | null;
  clients(): readonly ConnectedClient[];
  onClientsChange(listener: () => void): () => void;
  /** False when there is no such client (any more). Its calls are cancelled. */
  disconnect(sessionId: string): boolean;
  /** All that an agent has open, over HTTP and pipes. */
  disconnectAgent(agent: string): void;
  disconnectHttp(which: 'all' | 'persons-own'): void;
  close(): Promise<void>;
}

export function createMcpDoor(options: McpDoorOptions): McpDoor {
  const limits = options.limits ?? MCP_LIMITS;
  const now = (): number => Date.now();
  const listeners = new Listeners();
  const sessions = new Map<string, Session>();
  const pipes = new Set<Pipe>();
  const rates = new WeakMap<Caller, RateLimit>();
  const rateOfNewcomers = createRateLimit(limits.rate);
  const changed = (): void => {
    listeners.tell();
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
  const callers = (): readonly Caller[] => [
    ...[...sessions.values(), ...pipes].map((session) => session.caller),
    ...sessionless.callers(),
  ];
  const use = createAgentUse(options.agentLimits, callers);
  const stopWatchingTools = options.gate.onAdvertisedChange(() => {
    for (const session of [...sessions.values(), ...pipes]) session.toolsChanged();
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

  const withinSessions = (agent: string | null, response: ServerResponse): boolean => {
    const tooMany = agent === null ? null : use.oneMoreSession(agent);
    if (tooMany !== null) void sendAnswer(limitsExceeded(tooMany, SESSION_RETRY_SECONDS), response);
    return tooMany === null;
  };

  /** Room for one more of the person's own: the one silent for longest goes, if it has nothing open. */
  const makeRoom = async (): Promise<boolean> => {
    const own = [...sessions.values()].filter(({ caller }) => caller.agent === null);
    if (own.length < limits.sessions) return true;
    const idle = own.filter((session) => !session.isBusy()).sort((a, b) => a.caller.lastSeen - b.caller.lastSeen)[0];
    await idle?.close('left');
    return idle !== undefined;
  };

  const openSession = async (bearer: Bearer, response: ServerResponse): Promise<Session | null> => {
    const { agent } = bearer;
    if (!withinRate(null, response)) return null;
    if (!withinSessions(agent, response)) return null;
    if (agent === null && !(await makeRoom())) {
      await sendAnswer(
        rpcError(503, -32_000, `${limits.sessions} clients are connected, which is the limit.`),
        response,
      );
      return null;
    }
    return createSession(bearer, service, {
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

  const handle = async (
    incoming: IncomingMessage,
    response: ServerResponse,
    body: string | null,
    bearer: Bearer,
  ): Promise<void> => {
    const { agent } = bearer;
    const message = body === null ? undefined : parse(body);
    if (body !== null && message === undefined)
      return sendAnswer(rpcError(400, -32_700, 'Parse error: the body is not valid JSON.'), response);
    const exchange = openExchange(incoming, response);
    const recorded = agent === null || !asksForCalls(message) ? null : options.agentLimits.recordedTooMuch(agent);
    if (recorded !== null) return sendAnswer(limitsExceeded(recorded.why, recorded.retrySeconds), response);
    if (incoming.method === 'POST' && !(await isLegacyRequest(exchange.request, message)))
      return sessionless.handle(exchange, response, message, bearer, (caller) =>
        caller === 'newcomer' ? withinSessions(agent, response) : withinRate(caller, response),
      );
    const id = incoming.headers['mcp-session-id'];
    if (id === undefined && isInitializeRequest(message)) {
      const opened = await openSession(bearer, response);
      return opened?.handle(exchange, response, message);
    }
    if (id === undefined)
      return sendAnswer(
        rpcError(400, -32_000, 'Send an initialize request first, then the Mcp-Session-Id it gave.'),
        response,
      );
    const session = typeof id === 'string' ? sessions.get(id) : undefined;
    // Another's session is none: its id alone opens nothing.
    if (session === undefined || session.caller.agent !== agent)
      return sendAnswer(rpcError(404, -32_001, 'There is no such session (any more). Initialize again.'), response);
    if (!withinRate(session.caller, response)) return undefined;
    return session.handle(exchange, response, message);
  };

  const end = (whose: (caller: Caller) => boolean): void => {
    for (const session of [...sessions.values(), ...pipes]) if (whose(session.caller)) void session.close('put-out');
    for (const caller of sessionless.callers()) if (whose(caller)) sessionless.disconnect(caller.sessionId, 'put-out');
  };

  return {
    handle,
    connectPipe(stream, agent) {
      const tooMany = use.oneMoreSession(agent);
      if (tooMany !== null) return tooMany;
      const pipe = createPipe(stream, agent, service, {
        now,
        rate: createRateLimit(limits.rate),
        recordedTooMuch: (name) => options.agentLimits.recordedTooMuch(name)?.why ?? null,
        onClosed: () => {
          pipes.delete(pipe);
          changed();
        },
      });
      pipes.add(pipe);
      changed();
      return null;
    },
    clients: () => callers().map(connectedClient),
    onClientsChange(listener) {
      return listeners.add(listener);
    },
    disconnect(sessionId) {
      const session = sessions.get(sessionId) ?? [...pipes].find(({ caller }) => caller.sessionId === sessionId);
      if (session === undefined) return sessionless.disconnect(sessionId, 'put-out');
      void session.close('put-out');
      return true;
    },
    disconnectAgent: (agent) => end((caller) => caller.agent === agent),
    disconnectHttp: (which) =>
      end(({ transport, agent }) => transport === 'http' && (which === 'all' || agent === null)),
    async close() {
      clearInterval(sweep);
      stopWatchingTools();
      end(() => true);
      await sessionless.close();
    },
  };
}

/** How long until it is worth trying again to open a session: others of the agent's must end first. */
const SESSION_RETRY_SECONDS = 30;

const asksForCalls = (message: unknown): boolean =>
  (Array.isArray(message) ? message : [message]).some(
    (each: unknown) => (each as { readonly method?: unknown } | null)?.method === 'tools/call',
  );

function limitsExceeded(message: string, retrySeconds: number): Response {
  return Response.json(
    { error: { code: 'LimitsExceeded', message } },
    { status: 429, headers: { 'retry-after': String(retrySeconds) } },
  );
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
