import { randomUUID } from 'node:crypto';
import type { Duplex } from 'node:stream';
import { isJSONRPCRequest, type JSONRPCMessage, type Server } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { TEST_SESSION } from '#contract/vocabulary/calls.js';
import type { FolderAdmission } from '../../domain/ports/gate/gate.js';
import { type McpCaller, clientName, createCaller, endCalls, infoOf, nameFrom } from './caller.js';
import type { Departure } from '../ask-for-call.js';
import { createMcpServer, type McpService } from './mcp-server.js';
import { PipeTransport } from './pipe-transport.js';
import type { RateLimit } from './rate-limit.js';

export type PipeStream = Duplex;

/** A client at the other end of a pipe: one session for as long as it is open, of whichever revision it speaks. */
export interface Pipe {
  readonly caller: McpCaller;
  toolsChanged(): void;
  close(departure: Departure): Promise<void>;
}

/** Where a pipe works, for its life. */
export interface PipePlace {
  /** The folder by its real path; '' where there is none. */
  readonly folder: string;
  readonly admission: FolderAdmission | null;
  /** The window's own test call, and nothing else, is made over it. */
  readonly isTest: boolean;
}

interface PipeHooks {
  readonly now: () => number;
  readonly rate: RateLimit;
  /** Why nothing more of this agent's may be recorded for now; null while it may. */
  readonly recordedTooMuch: (agent: string) => string | null;
  readonly onClosed: () => void;
}

export function createPipe(
  stream: PipeStream,
  agent: string | null,
  { folder, admission, isTest }: PipePlace,
  service: McpService,
  hooks: PipeHooks,
): Pipe {
  const caller = createCaller(
    `${isTest ? TEST_SESSION : ''}${randomUUID()}`,
    'stdio',
    { agent, credential: { kind: 'pipe', id: agent ?? '' } },
    folder,
    hooks.now(),
    admission,
    isTest,
  );
  const gone = new AbortController();
  const servers = new Set<Server>();
  let closed = false;

  /** Answers a message in the server's place; null where the message goes on to it. */
  const instead = (message: JSONRPCMessage): JSONRPCMessage | null => {
    caller.lastSeen = hooks.now();
    const before = caller.name;
    nameFrom(message, caller);
    const info = isJSONRPCRequest(message) ? infoOf(message) : undefined;
    if (info !== undefined) caller.name = clientName(info);
    if (caller.name !== before) service.onActivity();
    if (!isJSONRPCRequest(message)) return null;
    if (!hooks.rate.take()) return refusedWith(message.id, 'Too many requests. Slow down.');
    if (agent === null || message.method !== 'tools/call') return null;
    const why = hooks.recordedTooMuch(agent);
    return why === null ? null : { jsonrpc: '2.0', id: message.id, result: limitsExceeded(why) };
  };

  const finish = (departure: Departure): void => {
    if (closed) return;
    closed = true;
    // In this order: what is put out is cancelled, and not kept as what somebody left.
    endCalls(caller, departure);
    gone.abort('left' satisfies Departure);
    hooks.onClosed();
  };

  const transport = new PipeTransport(stream, instead, () => finish('left'));
  const handle = serveStdio(
    () => {
      const server = createMcpServer(
        caller,
        service,
        async () => caller.folder,
        () => gone.signal,
      );
      servers.add(server);
      return server;
    },
    { transport },
  );

  return {
    caller,
    toolsChanged() {
      // Who has not introduced itself yet, or went meanwhile, needs no telling.
      for (const server of servers) server.sendToolListChanged().catch(() => undefined);
    },
    async close(departure) {
      finish(departure);
      await handle.close();
      stream.destroy();
    },
  };
}

const refusedWith = (id: string | number, message: string): JSONRPCMessage => ({
  jsonrpc: '2.0',
  id,
  error: { code: -32_000, message },
});

const limitsExceeded = (text: string) => ({
  content: [{ type: 'text', text }],
  isError: true,
  _meta: { 'gatehouse/code': 'LimitsExceeded' },
});
