import type { ServerResponse } from 'node:http';
import { createMcpHandler } from '@modelcontextprotocol/server';
import type { Bearer } from '../../domain/call/asker.js';
import { type McpCaller, clientName, createCaller, endCalls, infoOf } from './caller.js';
import type { Departure } from '../ask-for-call.js';
import { type Exchange, sendAnswer } from './exchange.js';
import { createMcpServer, type McpService } from './mcp-server.js';

/**
 * The 2026-07-28 revision has no sessions: every request says who sends it. Requests of one token, of the same name and
 * version, are taken for one client, so that what it read it may patch, and so that a person sees one line for it.
 */
export interface Sessionless {
  readonly callers: () => readonly McpCaller[];
  /** `admit` refuses, and answers, what is over the client's rate, and a newcomer where its agent may have no more. */
  handle(
    exchange: Exchange,
    response: ServerResponse,
    message: unknown,
    bearer: Bearer,
    folder: string,
    admit: (caller: McpCaller | 'newcomer') => boolean,
  ): Promise<void>;
  toolsChanged(): void;
  disconnect(sessionId: string, departure: Departure): boolean;
  forgetIdle(before: number): void;
  close(): Promise<void>;
}

/** A client may call itself something new with every request; of the person's own token only so many names are kept. */
const MAX_CALLERS = 256;

const NOBODY: Bearer = { agent: null, credential: { kind: 'persons-token', id: '' } };

export function createSessionless(service: McpService, now: () => number): Sessionless {
  const callers = new Map<string, McpCaller>();
  const current = new WeakMap<
    Request,
    { readonly exchange: Exchange; readonly caller: McpCaller; readonly folder: string }
  >();
  /** Streams that wait for nothing but news; ended when their client is put out. */
  const open = new Map<ServerResponse, McpCaller>();

  const handler = createMcpHandler(
    ({ requestInfo }) => {
      const known = requestInfo === undefined ? undefined : current.get(requestInfo);
      const caller = known?.caller ?? createCaller('unknown', 'http', NOBODY, '', now());
      return createMcpServer(
        caller,
        service,
        async () => known?.folder ?? '',
        () => known?.exchange.gone,
      );
    },
    { legacy: 'reject' },
  );

  const forget = (caller: McpCaller | undefined): void => {
    if (caller !== undefined) callers.delete(caller.sessionId);
    service.onActivity();
  };
  const ofPerson = (): readonly McpCaller[] => [...callers.values()].filter(({ agent }) => agent === null);
  const longestSilent = (): McpCaller | undefined => {
    const active = new Set(open.values());
    return ofPerson()
      .filter((caller) => !active.has(caller))
      .toSorted((a, b) => a.lastSeen - b.lastSeen)[0];
  };

  const callerOf = (
    message: unknown,
    bearer: Bearer,
    folder: string,
    admit: (who: 'newcomer') => boolean,
  ): McpCaller | null => {
    const { agent } = bearer;
    const name = clientName(infoOf(message));
    const key = `client:${agent ?? ''}:${name}`;
    let caller = callers.get(key);
    if (caller === undefined) {
      if (!admit('newcomer')) return null;
      if (agent === null && ofPerson().length >= MAX_CALLERS) forget(longestSilent());
      caller = createCaller(key, 'http', bearer, folder, now());
      callers.set(key, caller);
      caller.name = name;
      service.onActivity();
    }
    // Each of its requests says for itself where it is to happen.
    caller.folder = folder;
    caller.lastSeen = now();
    return caller;
  };

  return {
    callers: () => [...callers.values()],
    async handle(exchange, response, message, bearer, folder, admit) {
      const caller = callerOf(message, bearer, folder, admit);
      if (caller === null || !admit(caller)) return;
      current.set(exchange.request, { exchange, caller, folder });
      open.set(response, caller);
      try {
        await sendAnswer(await handler.fetch(exchange.request, { parsedBody: message }), response);
      } finally {
        open.delete(response);
        caller.lastSeen = now();
      }
    },
    toolsChanged: () => handler.notify.toolsChanged(),
    disconnect(sessionId, departure) {
      const caller = callers.get(sessionId);
      if (caller === undefined) return false;
      endCalls(caller, departure);
      for (const [response, owner] of open) if (owner === caller) response.destroy();
      forget(caller);
      return true;
    },
    forgetIdle(before) {
      const active = new Set(open.values());
      for (const caller of callers.values()) if (!active.has(caller) && caller.lastSeen < before) forget(caller);
    },
    close: () => handler.close(),
  };
}
