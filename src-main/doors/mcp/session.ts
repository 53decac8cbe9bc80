import { randomUUID } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import {
  isJSONRPCRequest,
  type RequestId,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server';
import type { Bearer } from '../../domain/call/asker.js';
import { type McpCaller, createCaller, endCalls, nameFrom } from './caller.js';
import type { Departure } from '../ask-for-call.js';
import { type Exchange, sendAnswer } from './exchange.js';
import { createMcpServer, type McpService } from './mcp-server.js';
import { folderOfSession } from './serve-tools.js';

/** A session of the 2025 revisions: one `initialize`, one server object, until DELETE, silence or disconnection ends it. */
export interface McpSession {
  readonly caller: McpCaller;
  /** Open streams and unanswered requests: while there are any, silence is not absence. */
  readonly isBusy: () => boolean;
  handle(exchange: Exchange, response: ServerResponse, message: unknown): Promise<void>;
  toolsChanged(): void;
  close(departure: Departure): Promise<void>;
}

export interface SessionHooks {
  readonly onInitialized: (session: McpSession) => void;
  readonly onClosed: (session: McpSession) => void;
  readonly now: () => number;
}

const KEEP_ALIVE_MS = 15_000;

export async function createSession(
  bearer: Bearer,
  folder: string,
  service: McpService,
  hooks: SessionHooks,
): Promise<McpSession> {
  const caller = createCaller(randomUUID(), 'http', bearer, folder, hooks.now());
  const exchanges = new WeakMap<Request, Exchange>();
  const server = createMcpServer(caller, service, folderOfSession(caller, service.folders), ({ http }) =>
    http?.req === undefined ? undefined : exchanges.get(http.req)?.gone,
  );
  const transport = new WebStandardStreamableHTTPServerTransport({
    sessionIdGenerator: () => caller.sessionId,
    onsessioninitialized: () => hooks.onInitialized(session),
    // DELETE: the client says goodbye. What it leaves behind is treated as when it just goes.
    onsessionclosed: () => finish('left'),
    keepAliveMs: KEEP_ALIVE_MS,
  });
  const unanswered = new Map<string, number>();
  let openAnswers = 0;
  let closed = false;

  const session: McpSession = {
    caller,
    isBusy: () => openAnswers > 0,
    async handle(exchange, response, message) {
      const ids = requestIds(message);
      const repeated = repeatedId(ids, unanswered);
      if (repeated !== undefined) return sendDuplicate(response, repeated);
      for (const id of ids) unanswered.set(id, hooks.now());
      exchanges.set(exchange.request, exchange);
      openAnswers += 1;
      caller.lastSeen = hooks.now();
      try {
        nameFrom(message, caller);
        const answer = await transport.handleRequest(exchange.request, { parsedBody: message });
        for (const id of cancelledIds(message)) transport.closeSSEStream(id);
        await sendAnswer(answer, response);
      } finally {
        openAnswers -= 1;
        for (const id of ids) unanswered.delete(id);
        caller.lastSeen = hooks.now();
      }
    },
    toolsChanged() {
      // Nobody listens until the client opens its stream, and one that went meanwhile needs no telling.
      server.sendToolListChanged().catch(() => undefined);
    },
    async close(departure) {
      finish(departure);
      await server.close();
    },
  };
  const finish = (departure: Departure): void => {
    if (closed) return;
    closed = true;
    endCalls(caller, departure);
    hooks.onClosed(session);
  };
  await server.connect(transport);
  return session;
}

const asList = (message: unknown): readonly unknown[] => (Array.isArray(message) ? message : [message]);

/** Ids by type and value: 1 and "1" are two. */
function requestIds(message: unknown): readonly string[] {
  return asList(message).flatMap((each) => (isJSONRPCRequest(each) ? [JSON.stringify(each.id)] : []));
}

/** The first id that an unanswered request has, or an earlier one of the same message. */
function repeatedId(ids: readonly string[], unanswered: ReadonlyMap<string, number>): string | undefined {
  const seen = new Set<string>();
  return ids.find((id) => {
    const repeated = unanswered.has(id) || seen.has(id);
    seen.add(id);
    return repeated;
  });
}

/** A cancelled request gets no answer, so its stream would stay open for nothing. */
function cancelledIds(message: unknown): readonly RequestId[] {
  return asList(message).flatMap((each) => {
    if (typeof each !== 'object' || each === null) return [];
    const { method, params } = each as {
      readonly method?: unknown;
      readonly params?: { readonly requestId?: unknown };
    };
    const id = params?.requestId;
    return method === 'notifications/cancelled' && (typeof id === 'string' || typeof id === 'number') ? [id] : [];
  });
}

async function sendDuplicate(response: ServerResponse, id: string): Promise<void> {
  const message = `The request id ${id} is still in use in this session. Every request needs an id of its own.`;
  const body = { jsonrpc: '2.0', id: JSON.parse(id) as RequestId, error: { code: -32_600, message } };
  await sendAnswer(Response.json(body, { status: 400 }), response);
}
