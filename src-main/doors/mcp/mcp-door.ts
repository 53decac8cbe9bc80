import { Listeners } from '../../platform/listeners.js';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { isInitializeRequest, isLegacyRequest } from '@modelcontextprotocol/server';
import type { ConnectedClient, ToolsMode } from '#contract/window/app-events.js';
import type { Bearer } from '../../domain/call/asker.js';
import { NOT_PERMITTED } from '../../domain/call/failures.js';
import type { DoorFolders } from '../../domain/ports/door-folders.js';
import type { Gate } from '../../domain/ports/gate/gate.js';
import { type AgentLimits, createAgentUse } from './agent-use.js';
import { PROGRESS_PACE, type ProgressPace } from './call-progress.js';
import { type McpCaller, connectedClient } from './caller.js';
import { openExchange, sendAnswer } from './exchange.js';
import type { McpExtension, McpService } from './mcp-server.js';
import { createRateLimit, type RateLimit } from './rate-limit.js';
import { createPipe, type Pipe, type PipePlace, type PipeStream } from './pipe.js';
import type { OutputSource } from './serve-outputs.js';
import { createSession, type McpSession } from './session.js';
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
  readonly folders: DoorFolders;
  readonly mode: (folder: string) => ToolsMode;
  readonly whenClientLeaves: () => 'cancel' | 'keep';
  /** The limits of each agent; the person's own token has none. */
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
  connectPipe(stream: PipeStream, agent: string | null, place: PipePlace): string | null;
  /** Why no other pipe of this agent's is taken now, or null. */
  pipeRefused(agent: string | null): string | null;
  clients(): readonly ConnectedClient[];
  onClientsChange(listener: () => void): () => void;
  /** False when there is no such client (any more). Its calls are cancelled. */
  disconnect(sessionId: string): boolean;
  /** Ends every connection of an agent, over HTTP and pipes. */
  disconnectAgent(agent: string): void;
  disconnectHttp(which: 'all' | 'persons-own'): void;
  close(): Promise<void>;
}

const now = (): number => Date.now();

export const createMcpDoor = (options: McpDoorOptions): McpDoor => new SessionsDoor(options);

class SessionsDoor implements McpDoor {
  readonly #options: McpDoorOptions;
  readonly #limits: McpLimits;
  readonly #listeners = new Listeners();
  readonly #sessions = new Map<string, McpSession>();
  readonly #pipes = new Set<Pipe>();
  readonly #rates = new WeakMap<McpCaller, RateLimit>();
  readonly #rateOfNewcomers: RateLimit;
  readonly #service: McpService;
  readonly #sessionless: ReturnType<typeof createSessionless>;
  readonly #use: ReturnType<typeof createAgentUse>;
  readonly #stopWatchingTools: () => void;
  readonly #sweep: NodeJS.Timeout;

  constructor(options: McpDoorOptions) {
    this.#options = options;
    this.#limits = options.limits ?? MCP_LIMITS;
    this.#rateOfNewcomers = createRateLimit(this.#limits.rate);
    this.#service = {
      gate: options.gate,
      folders: options.folders,
      mode: options.mode,
      whenClientLeaves: options.whenClientLeaves,
      maxInFlight: this.#limits.inFlight,
      pace: options.pace ?? PROGRESS_PACE,
      onActivity: () => this.#listeners.tell(),
      version: options.version,
      outputs: options.outputs ?? null,
      extension: options.extension ?? (() => null),
    };
    this.#sessionless = createSessionless(this.#service, now);
    this.#use = createAgentUse(options.agentLimits, () => this.#callers());
    this.#stopWatchingTools = options.gate.onAdvertisedChange(() => {
      for (const session of this.#open()) session.toolsChanged();
      this.#sessionless.toolsChanged();
    });
    this.#sweep = setInterval(() => this.#sweepIdle(), Math.min(60_000, this.#limits.idleMs)).unref();
  }

  pipeRefused(agent: string | null): string | null {
    return this.#use.oneMoreSession(agent);
  }

  connectPipe(stream: PipeStream, agent: string | null, place: PipePlace): string | null {
    const tooMany = this.#use.oneMoreSession(agent);
    if (tooMany !== null) return tooMany;
    const pipe = createPipe(stream, agent, place, this.#service, {
      now,
      rate: createRateLimit(this.#limits.rate),
      recordedTooMuch: (name) => this.#options.agentLimits.recordedTooMuch(name)?.why ?? null,
      onClosed: () => {
        this.#pipes.delete(pipe);
        this.#listeners.tell();
      },
    });
    this.#pipes.add(pipe);
    this.#listeners.tell();
    return null;
  }

  clients(): readonly ConnectedClient[] {
    return this.#callers()
      .filter(({ isTest }) => !isTest)
      .map(connectedClient);
  }

  onClientsChange(listener: () => void): () => void {
    return this.#listeners.add(listener);
  }

  disconnect(sessionId: string): boolean {
    const session = this.#open().find(({ caller }) => caller.sessionId === sessionId);
    if (session === undefined) return this.#sessionless.disconnect(sessionId, 'put-out');
    void session.close('put-out');
    return true;
  }

  disconnectAgent(agent: string): void {
    this.#end((caller) => caller.agent === agent);
  }

  disconnectHttp(which: 'all' | 'persons-own'): void {
    this.#end(({ transport, agent }) => transport === 'http' && (which === 'all' || agent === null));
  }

  async close(): Promise<void> {
    clearInterval(this.#sweep);
    this.#stopWatchingTools();
    this.#end(() => true);
    await this.#sessionless.close();
  }

  #open(): readonly (McpSession | Pipe)[] {
    return [...this.#sessions.values(), ...this.#pipes];
  }

  #callers(): readonly McpCaller[] {
    return [...this.#open().map((session) => session.caller), ...this.#sessionless.callers()];
  }

  #sweepIdle(): void {
    const before = now() - this.#limits.idleMs;
    for (const session of this.#sessions.values())
      if (!session.isBusy() && session.caller.lastSeen < before) void session.close('left');
    this.#sessionless.forgetIdle(before);
  }

  #withinRate(caller: McpCaller | null, response: ServerResponse): boolean {
    let rate = caller === null ? this.#rateOfNewcomers : this.#rates.get(caller);
    if (rate === undefined) {
      rate = createRateLimit(this.#limits.rate);
      if (caller !== null) this.#rates.set(caller, rate);
    }
    if (rate.take()) return true;
    void sendAnswer(rpcError(429, -32_000, 'Too many requests. Slow down.', { 'retry-after': '1' }), response);
    return false;
  }

  #withinSessions(agent: string | null, response: ServerResponse): boolean {
    const tooMany = agent === null ? null : this.#use.oneMoreSession(agent);
    if (tooMany !== null) void sendAnswer(limitsExceeded(tooMany, SESSION_RETRY_SECONDS), response);
    return tooMany === null;
  }

  /** Room for one more of the person's own: the one silent for longest goes, if it has nothing open. */
  async #makeRoom(): Promise<boolean> {
    const own = [...this.#sessions.values()].filter(({ caller }) => caller.agent === null);
    if (own.length < this.#limits.sessions) return true;
    const idle = own.filter((session) => !session.isBusy()).sort((a, b) => a.caller.lastSeen - b.caller.lastSeen)[0];
    await idle?.close('left');
    return idle !== undefined;
  }

  async #openSession(bearer: Bearer, folder: string, response: ServerResponse): Promise<McpSession | null> {
    const { agent } = bearer;
    if (!this.#withinRate(null, response)) return null;
    if (!this.#withinSessions(agent, response)) return null;
    if (agent === null && !(await this.#makeRoom())) {
      await sendAnswer(
        rpcError(503, -32_000, `${this.#limits.sessions} clients are connected, which is the limit.`),
        response,
      );
      return null;
    }
    return createSession(bearer, folder, this.#service, {
      now,
      onInitialized: (session) => {
        this.#sessions.set(session.caller.sessionId, session);
        this.#listeners.tell();
      },
      onClosed: (session) => {
        this.#sessions.delete(session.caller.sessionId);
        this.#listeners.tell();
      },
    });
  }

  async handle(
    incoming: IncomingMessage,
    response: ServerResponse,
    body: string | null,
    bearer: Bearer,
  ): Promise<void> {
    const { agent } = bearer;
    const message = body === null ? undefined : parse(body);
    if (body !== null && message === undefined)
      return sendAnswer(rpcError(400, -32_700, 'Parse error: the body is not valid JSON.'), response);
    const exchange = openExchange(incoming, response);
    const recorded = agent === null || !asksForCalls(message) ? null : this.#options.agentLimits.recordedTooMuch(agent);
    if (recorded !== null) return sendAnswer(limitsExceeded(recorded.why, recorded.retrySeconds), response);
    if (incoming.method === 'POST' && !(await isLegacyRequest(exchange.request, message))) {
      const folder = await this.#folderFor(incoming, agent, response);
      if (folder === null) return undefined;
      return this.#sessionless.handle(exchange, response, message, bearer, folder, (caller) =>
        caller === 'newcomer' ? this.#withinSessions(agent, response) : this.#withinRate(caller, response),
      );
    }
    const id = incoming.headers['mcp-session-id'];
    if (id === undefined && isInitializeRequest(message)) {
      const folder = await this.#folderFor(incoming, agent, response);
      if (folder === null) return undefined;
      const opened = await this.#openSession(bearer, folder, response);
      return opened?.handle(exchange, response, message);
    }
    if (id === undefined)
      return sendAnswer(
        rpcError(400, -32_000, 'Send an initialize request first, then the Mcp-Session-Id it gave.'),
        response,
      );
    const session = typeof id === 'string' ? this.#sessions.get(id) : undefined;
    // Another's session is none: its id alone opens nothing.
    if (session === undefined || session.caller.agent !== agent)
      return sendAnswer(rpcError(404, -32_001, 'There is no such session (any more). Initialize again.'), response);
    if (!this.#withinRate(session.caller, response)) return undefined;
    return session.handle(exchange, response, message);
  }

  /** Where a session begins, or a request without one is to happen. Null where that was refused, and answered. */
  async #folderFor(
    { headers }: IncomingMessage,
    agent: string | null,
    response: ServerResponse,
  ): Promise<string | null> {
    const named = headers[WORKSPACE_HEADER];
    const folder = await this.#options.folders.resolveSessionFolder(typeof named === 'string' ? named : null, agent);
    const { code, message } = NOT_PERMITTED;
    if (folder === null) await sendAnswer(Response.json({ error: { code, message } }, { status: 403 }), response);
    return folder;
  }

  #end(whose: (caller: McpCaller) => boolean): void {
    for (const session of this.#open()) if (whose(session.caller)) void session.close('put-out');
    for (const caller of this.#sessionless.callers())
      if (whose(caller)) this.#sessionless.disconnect(caller.sessionId, 'put-out');
  }
}

/** How long until it is worth trying again to open a session: others of the agent's must end first. */
const SESSION_RETRY_SECONDS = 30;

/** The header that names one of the open folders, by its path. */
const WORKSPACE_HEADER = 'gatehouse-workspace';

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
