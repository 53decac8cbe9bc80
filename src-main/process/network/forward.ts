import { type Agent, type IncomingMessage, request as openRequest, type ServerResponse } from 'node:http';
import type { LookupFunction } from 'node:net';
import { pipeline } from 'node:stream';
import { endUnlessConnected } from './connecting.js';
import { forSocket, type Target } from './target.js';

export interface Forwarding {
  readonly target: Target;
  readonly lookup: LookupFunction;
  readonly agent: Agent;
  readonly reached: () => void;
  readonly failed: (error: Error) => void;
}

/** One plain HTTP request, passed on as it is but for what belongs to the connection. */
export function forward(
  request: IncomingMessage,
  response: ServerResponse,
  { target, lookup, agent, reached, failed }: Forwarding,
): void {
  const host = target.port === 80 ? target.host : `${target.host}:${target.port}`;
  const upstream = openRequest({
    ...forSocket(target),
    lookup,
    agent,
    method: request.method,
    path: target.path,
    // The name of the request’s target, whatever the client wrote there: what was checked is what is asked.
    headers: [
      'Host',
      host,
      ...endToEnd(request.rawHeaders)
        .filter(([name]) => name.toLowerCase() !== 'host')
        .flat(),
    ],
  });
  upstream.once('socket', endUnlessConnected);
  upstream.once('error', (error) => {
    request.unpipe(upstream);
    // The answer is read only by a client that is done with asking.
    request.resume();
    failed(error);
  });
  upstream.once('response', (answer) => {
    reached();
    response.writeHead(answer.statusCode ?? 502, answer.statusMessage, endToEnd(answer.rawHeaders).flat());
    pipeline(answer, response, () => undefined);
  });
  response.once('close', () => upstream.destroy());
  request.pipe(upstream);
}

/** Of one connection alone (RFC 9110, 7.6.1). */
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

/** Without what is of one connection alone, and without what `Connection` itself names. */
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
