import {
  type Agent,
  type ClientRequest,
  type IncomingMessage,
  request as openRequest,
  type ServerResponse,
} from 'node:http';
import type { LookupFunction } from 'node:net';
import { pipeline } from 'node:stream';
import { endUnlessConnected } from './connecting.js';
import { forSocket, type ProxyTarget } from './target.js';

export interface Forwarding {
  readonly target: ProxyTarget;
  readonly lookup: LookupFunction;
  readonly agent: Agent;
  readonly reached: () => void;
  readonly failed: (error: Error) => void;
}

/** The server sent back no answer that could be passed on. */
export class UnusableAnswer extends Error {
  override readonly name = 'UnusableAnswer';
}

/** The request can't be put to a server, such as a path with a tab in it. */
export class UnusableRequest extends Error {
  override readonly name = 'UnusableRequest';
}

/**
 * Forwards one plain HTTP request, as it is but for what belongs to the connection. Neither side can make it throw:
 * both are programs that we know nothing of.
 */
export function forwardRequest(request: IncomingMessage, response: ServerResponse, forwarding: Forwarding): void {
  let settled = false;
  const fail = (error: Error): void => {
    if (settled) return;
    settled = true;
    request.unpipe();
    // The answer is read only by a client that is done with asking.
    request.resume();
    forwarding.failed(error);
  };
  let upstream: ClientRequest;
  try {
    upstream = ask(request, forwarding);
  } catch (error) {
    fail(new UnusableRequest(wordsOf(error)));
    return;
  }
  upstream.once('socket', endUnlessConnected);
  upstream.on('error', fail);
  // Also after an answer that is none, such as one that changes to another protocol, which nobody asked for.
  upstream.once('close', () => fail(new UnusableAnswer('it closed the connection without an answer')));
  upstream.once('response', (answer) => {
    forwarding.reached();
    try {
      writeHead(response, request, answer);
    } catch (error) {
      fail(new UnusableAnswer(`its answer can’t be passed on: ${wordsOf(error)}`));
      upstream.destroy();
      return;
    }
    settled = true;
    // What breaks off there breaks off here: the client must not take half of it for the whole.
    pipeline(answer, response, () => undefined);
  });
  response.once('close', () => upstream.destroy());
  request.pipe(upstream);
}

function ask(request: IncomingMessage, { target, lookup, agent }: Forwarding): ClientRequest {
  const host = target.port === 80 ? target.host : `${target.host}:${target.port}`;
  return openRequest({
    ...forSocket(target),
    lookup,
    agent,
    method: request.method,
    path: target.path,
    maxHeaderSize: MAX_HEADER_BYTES,
    // The name of the request’s target, whatever the client wrote there: what was checked is what is asked.
    headers: [
      'Host',
      host,
      ...endToEnd(request.rawHeaders)
        .filter(([name]) => name.toLowerCase() !== 'host')
        .flat(),
    ],
  });
}

/**
 * The head of the answer. How its body is marked off is ours to say, since the client may know less than we do: by its
 * length where that was told, else in chunks, and for HTTP/1.0 by the end of the connection.
 */
function writeHead(response: ServerResponse, request: IncomingMessage, answer: IncomingMessage): void {
  const coding = answer.headers['transfer-encoding'];
  if (coding !== undefined && coding.trim().toLowerCase() !== 'chunked') {
    throw new Error(`its body is encoded in a way that is not known (${coding})`);
  }
  if (request.httpVersion === '1.0') response.useChunkedEncodingByDefault = false;
  const headers = endToEnd(answer.rawHeaders).filter(([name]) => name.toLowerCase() !== 'transfer-encoding');
  // In our words: those of the server may hold anything.
  response.writeHead(answer.statusCode ?? 502, headers.flat());
}

const wordsOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

export const MAX_HEADER_BYTES = 64 * 1024;

/** Headers of one connection alone (RFC 9110, 7.6.1). */
const HOP_BY_HOP: ReadonlySet<string> = new Set([
  'connection',
  'proxy-connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'te',
  'trailer',
  'upgrade',
  'expect',
]);

/**
 * The headers that travel end to end: without those of one connection alone, and without those that `Connection` itself
 * names.
 */
function endToEnd(rawHeaders: readonly string[]): (readonly [name: string, value: string])[] {
  const pairs = rawHeaders.flatMap((name, at) => (at % 2 === 0 ? [[name, rawHeaders[at + 1] ?? ''] as const] : []));
  const named = pairs
    .filter(([name]) => name.toLowerCase() === 'connection')
    .flatMap(([, value]) => value.split(',').map((each) => each.trim().toLowerCase()));
  // How the body is marked off stays: naming it in `Connection` must not take it away.
  const gone = (name: string): boolean =>
    HOP_BY_HOP.has(name) || (named.includes(name) && !['transfer-encoding', 'content-length'].includes(name));
  return pairs.filter(([name]) => !gone(name.toLowerCase()));
}
