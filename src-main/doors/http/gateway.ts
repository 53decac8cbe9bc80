import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Bearer } from '../../domain/call/asker.js';
import type { Agents } from '../../domain/ports/agents.js';
import { sha256 } from '../../platform/digest.js';
import {
  readStoredGateway,
  removeGatewayAddress,
  writeGatewayAddress,
  writeStoredGateway,
} from '../../platform/data-folder/gateway-file.js';
import { keepConnectionRoom } from './connection-room.js';
import { guardRequest, equalInConstantTime } from './guard.js';
import { createIntakeLimits, type IntakeLimits } from './intake-limits.js';
import { withDocument } from './openapi.js';
import { type Body, readBody } from './read-body.js';
import type { Route } from './route.js';
import { type RouteServer, serveRoutes } from './serve-routes.js';
import { answerClientError, NO_SUCH_METHOD, refuseAndClose, sayAndEnd } from './refusals.js';
import { sendError, sendJson } from './replies.js';
import { LONGEST_MESSAGE } from '../../domain/size-bounds.js';

/** The MCP door, as the gateway sees it: everything below `/mcp`, already authenticated and read. */
export interface McpEndpoint {
  handle(request: IncomingMessage, response: ServerResponse, body: string | null, bearer: Bearer): Promise<void>;
  /** Ends the sessions that came over HTTP: all of them, or those that came in with the person's own token. */
  disconnectHttp(which: 'all' | 'persons-own'): void;
}

export interface GatewayLimits {
  readonly headersMs: number;
  readonly bodyMs: number;
  readonly bodyBytes: number;
  readonly connections: number;
}

export const GATEWAY_LIMITS: GatewayLimits = {
  headersMs: 10_000,
  bodyMs: 30_000,
  bodyBytes: LONGEST_MESSAGE,
  connections: 512,
};

export interface GatewayOptions {
  readonly version: string;
  readonly dataDir: string;
  readonly mcp: McpEndpoint;
  /** The routes served below `/v1`, of all doors. */
  readonly routes: readonly Route[];
  readonly agents: Pick<Agents, 'findByToken' | 'getHolder'>;
  /** Why this agent may ask for no call now, as more was recorded of it than may be; null where it may. */
  readonly recordedTooMuch: (agent: string) => { readonly why: string; readonly retrySeconds: number } | null;
  /** Reports what a person should know and a client should not. */
  readonly report: (message: string, error: unknown) => void;
  readonly limits?: GatewayLimits;
  readonly intake?: IntakeLimits;
}

export interface Gateway {
  /** The origin served on; null while not serving. */
  readonly url: string | null;
  readonly token: string;
  /** Serves on loopback. Rejects with a message for a person when the port is taken. */
  start(port: number): Promise<void>;
  /** Lets nobody in any more, ends what is open, removes gateway.json. */
  stop(): Promise<void>;
  /** A new token of the person's own from now on; whoever came in with the old one is put out. */
  rotateToken(): void;
}

export const createGateway = (options: GatewayOptions): Gateway => new LoopbackGateway(options);

class LoopbackGateway implements Gateway {
  readonly #options: GatewayOptions;
  readonly #limits: GatewayLimits;
  readonly #intake: ReturnType<typeof createIntakeLimits>;
  readonly #routes: RouteServer;
  #token: string;
  #server: Server | null = null;
  #url: string | null = null;
  #stopping = new AbortController();
  readonly #answering = new Set<ServerResponse>();

  constructor(options: GatewayOptions) {
    this.#options = options;
    this.#limits = options.limits ?? GATEWAY_LIMITS;
    this.#intake = createIntakeLimits(options.intake);
    this.#routes = serveRoutes(withDocument(options.routes, options.version));
    this.#token = readStoredGateway(options.dataDir)?.token ?? newToken();
  }

  get url(): string | null {
    return this.#url;
  }

  get token(): string {
    return this.#token;
  }

  async start(port: number): Promise<void> {
    if (this.#server !== null) return;
    const last = readStoredGateway(this.#options.dataDir)?.port ?? null;
    this.#stopping = new AbortController();
    this.#server = await listenWhereAsked(port, last, (on) => this.#listen(on));
    this.#url = `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
    this.#announce();
  }

  async stop(): Promise<void> {
    const stopping = this.#server;
    if (stopping === null) return;
    this.#server = null;
    this.#url = null;
    removeGatewayAddress(this.#options.dataDir, process.pid);
    this.#options.mcp.disconnectHttp('all');
    const closed = new Promise<void>((resolve) => stopping.close(() => resolve()));
    this.#stopping.abort('The gateway stopped.');
    await this.#answered();
    stopping.closeAllConnections();
    await closed;
  }

  /** Waits a moment for open answers, so that whoever waits still hears how it ended where that is known soon. */
  async #answered(): Promise<void> {
    const over = AbortSignal.timeout(ANSWERS_WITHIN_MS);
    await Promise.allSettled([...this.#answering].map((response) => once(response, 'close', { signal: over })));
  }

  rotateToken(): void {
    this.#token = newToken();
    const port = this.#url === null ? null : Number(new URL(this.#url).port);
    writeStoredGateway(this.#options.dataDir, { token: this.#token, port });
    this.#announce();
    this.#options.mcp.disconnectHttp('persons-own');
  }

  #announce(): void {
    if (this.#url === null) return;
    writeStoredGateway(this.#options.dataDir, { token: this.#token, port: Number(new URL(this.#url).port) });
    writeGatewayAddress(this.#options.dataDir, {
      url: this.#url,
      token: this.#token,
      pid: process.pid,
      version: this.#options.version,
    });
  }

  /** The person's own token is looked at first: it is nobody else's, whatever the register holds. */
  #whose(given: string): Bearer | null {
    if (equalInConstantTime(given, this.#token))
      return { agent: null, credential: { kind: 'persons-token', id: idOf(given) } };
    const { agents } = this.#options;
    const agent = agents.findByToken(given);
    if (agent === null) return null;
    return { agent, life: agents.getHolder(agent), credential: { kind: 'agent-token', id: idOf(given) } };
  }

  async #handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const admission = guardRequest(request, (given) => this.#whose(given));
    if (!admission.ok) {
      const { status, code, message } = admission.refusal;
      const challenge = status === 401 ? { 'www-authenticate': 'Bearer realm="Gatehouse"' } : {};
      return refuseAndClose(request, response, status, code, message, challenge);
    }
    const { who } = admission;
    const target = parseTarget(request.url);
    const found = target === null ? null : this.#routes.find(request.method ?? '', target.pathname);
    const readsRecord = found?.kind === 'found' && found.route.facts.readsRecord === true;
    const busy = this.#intake.take(who.agent, readsRecord, response);
    if (busy !== null) return refuseAndClose(request, response, 429, 'LimitsExceeded', busy, { 'retry-after': '1' });
    if (target === null || found === null)
      return refuseAndClose(request, response, 400, 'BadRequest', 'The request target is not a path.');
    if (target.pathname === '/mcp') return this.#handleMcp(request, response, who);
    if (found.kind === 'none') {
      const message = `There is nothing at ${target.pathname.slice(0, 200)}.`;
      return refuseAndClose(request, response, 404, 'NotFound', message);
    }
    if (found.kind === 'wrong-method') {
      const { allow } = found;
      return refuseAndClose(request, response, 405, 'MethodNotAllowed', `Only ${allow} works here.`, { allow });
    }
    const { route } = found;
    const recorded =
      route.facts.asksForCalls === true && who.agent !== null ? this.#options.recordedTooMuch(who.agent) : null;
    if (recorded !== null) {
      const headers = { 'retry-after': String(recorded.retrySeconds) };
      return refuseAndClose(request, response, 429, 'LimitsExceeded', recorded.why, headers);
    }
    const unreadable = (why: string): void => this.#routes.unreadable(found, why, who, response);
    const refuse: RefuseBody = { notText: unreadable, tooMuch: ({ why }) => unreadable(why) };
    const body = route.facts.body === undefined ? null : await this.#bodyOf(request, response, who, refuse);
    if (body === undefined) return undefined;
    const { searchParams: query } = target;
    const came = { query, body, bearer: who, origin: this.#url ?? '', stopping: this.#stopping.signal };
    this.#answering.add(response);
    response.once('close', () => this.#answering.delete(response));
    return this.#routes.answer(found, came, request, response);
  }

  async #handleMcp(request: IncomingMessage, response: ServerResponse, bearer: Bearer): Promise<void> {
    if (request.method === 'GET' || request.method === 'DELETE')
      return this.#options.mcp.handle(request, response, null, bearer);
    if (request.method !== 'POST')
      return refuseAndClose(request, response, 405, 'MethodNotAllowed', 'MCP takes POST, GET and DELETE.', {
        allow: 'POST, GET, DELETE',
      });
    const body = await this.#bodyOf(request, response, bearer, {
      notText: (why) => sendError(response, 400, 'BadRequest', why),
      tooMuch: ({ id, why }) =>
        sendJson(response, 400, {
          jsonrpc: '2.0',
          id,
          error: { code: -32_600, message: why, data: { code: 'LimitsExceeded' } },
        }),
    });
    if (body !== undefined) await this.#options.mcp.handle(request, response, body, bearer);
  }

  /** Reads the text of the body. Undefined where it could not be read, which the client has been told by then. */
  async #bodyOf(
    request: IncomingMessage,
    response: ServerResponse,
    bearer: Bearer,
    refuse: RefuseBody,
  ): Promise<string | undefined> {
    const { bodyBytes, bodyMs } = this.#limits;
    const body = await readBody(request, bodyBytes, bodyMs, (bytes) => this.#intake.took(bearer.agent, bytes));
    switch (body.kind) {
      case 'text':
        return body.text;
      case 'too-large':
        refuseAndClose(request, response, 413, 'TooLarge', `The body is over ${bodyBytes} bytes.`);
        return undefined;
      case 'too-much':
        refuse.tooMuch(body);
        return undefined;
      case 'too-slow':
        refuseAndClose(request, response, 408, 'TooSlow', `The body was not in within ${bodyMs} ms.`);
        return undefined;
      case 'not-text':
        refuse.notText('The body is not UTF-8.');
        return undefined;
      case 'gone':
        return undefined;
    }
  }

  async #listen(port: number): Promise<Server> {
    const answer = (request: IncomingMessage, response: ServerResponse): void => {
      this.#handle(request, response).catch((error: unknown) => {
        this.#options.report('The gateway failed to answer a request.', error);
        sendError(response, 500, 'Internal', 'The request could not be answered; the log says why.');
      });
    };
    const created = createServer(
      {
        headersTimeout: this.#limits.headersMs,
        // The backstop behind the body's own limit.
        requestTimeout: this.#limits.headersMs + this.#limits.bodyMs,
        connectionsCheckingInterval: Math.min(1000, this.#limits.headersMs),
        keepAliveTimeout: 60_000,
        maxHeaderSize: 16 * 1024,
        // A request without a Host header is refused as one of a foreign host is, in our words.
        requireHostHeader: false,
      },
      answer,
    );
    // What else a client expects is not looked at, as HTTP allows; Node would refuse it without a word.
    created.on('checkExpectation', answer);
    created.on('connect', (request, socket) => {
      const admission = guardRequest(request, (given) => this.#whose(given));
      const { status, code, message } = admission.ok ? NO_SUCH_METHOD : admission.refusal;
      sayAndEnd(socket, status, code, message);
    });
    keepConnectionRoom(created, this.#limits.connections);
    created.on('clientError', answerClientError);
    await new Promise<void>((resolve, reject) => {
      created.once('error', reject);
      created.listen(port, '127.0.0.1', () => {
        created.off('error', reject);
        resolve();
      });
    });
    return created;
  }
}

/** How a body that came whole and can't be parsed is refused: each dialect has words of its own for it. */
interface RefuseBody {
  readonly notText: (why: string) => void;
  readonly tooMuch: (body: Extract<Body, { kind: 'too-much' }>) => void;
}

/** Tells tokens apart, and gives nobody the token. */
const idOf = (token: string): string => sha256(token).slice(0, 12);

const ANSWERS_WITHIN_MS = 2000;

const newToken = (): string => randomBytes(32).toString('base64url');

/**
 * Listens on the port; with none configured, the one served last is tried first, so that copied configuration stays
 * good.
 */
async function listenWhereAsked(
  port: number,
  last: number | null,
  listen: (port: number) => Promise<Server>,
): Promise<Server> {
  if (port === 0 && last !== null) {
    try {
      return await listen(last);
    } catch {
      return listen(0);
    }
  }
  try {
    return await listen(port);
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    const why =
      code === 'EADDRINUSE' ? 'another program uses it' : code === 'EACCES' ? 'the system forbids it' : String(error);
    throw new Error(`The gateway can't serve on port ${port}: ${why}. Choose another [gateway] port, or 0 for any.`, {
      cause: error,
    });
  }
}

/** A path on this server. “//host/x” and absolute URLs are not. */
function parseTarget(target: string | undefined): URL | null {
  if (target === undefined || !target.startsWith('/') || target.startsWith('//')) return null;
  return URL.canParse(target, 'http://127.0.0.1') ? new URL(target, 'http://127.0.0.1') : null;
}
