import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Departure } from '../ask-for-call.js';

/** An HTTP request, and whether its sender still waits. */
export interface Exchange {
  readonly request: Request;
  /** Aborted, with a `Departure` as its reason, when the sender went away before the answer was whole. */
  readonly gone: AbortSignal;
}

/** Node's request as the SDK wants it. The body was read and parsed before; it is passed beside. */
export function openExchange(incoming: IncomingMessage, response: ServerResponse): Exchange {
  const departure = new AbortController();
  const headers = new Headers();
  for (const [name, values] of Object.entries(incoming.headersDistinct))
    for (const value of values ?? []) headers.append(name, value);
  response.once('close', () => {
    if (!response.writableFinished) departure.abort('left' satisfies Departure);
  });
  const request = new Request(`http://127.0.0.1${incoming.url ?? '/mcp'}`, {
    method: incoming.method ?? 'POST',
    headers,
    signal: departure.signal,
  });
  return { request, gone: departure.signal };
}

/** Writes the SDK's answer, at the pace at which the client takes it. */
export async function sendAnswer(answer: Response, response: ServerResponse) {
  if (response.destroyed) {
    await answer.body?.cancel();
    return;
  }
  const headers = Object.fromEntries(answer.headers);
  // HTTP/1.1 keeps connections by itself, and a closing server must be able to say otherwise.
  delete headers['connection'];
  response.writeHead(answer.status, { ...headers, 'x-content-type-options': 'nosniff' });
  if (answer.body === null) {
    response.end();
    return;
  }
  // Most answers are whole at once and go out with their headers; a client that will wait must see the headers now.
  const flush = setTimeout(() => response.flushHeaders(), 2);
  const reader = answer.body.getReader();
  response.once('close', () => {
    clearTimeout(flush);
    void reader.cancel().catch(() => undefined);
  });
  for (;;) {
    const { done, value } = await reader.read();
    if (done || response.destroyed) break;
    if (!response.write(value)) await drained(response);
  }
  response.end();
}

function drained(response: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      response.off('drain', done);
      response.off('close', done);
      resolve();
    };
    response.once('drain', done);
    response.once('close', done);
  });
}
