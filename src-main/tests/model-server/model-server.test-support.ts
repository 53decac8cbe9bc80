import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as after } from 'node:timers/promises';
import type { JsonObject } from '#contract/vocabulary/json.js';
import { anthropicEvents } from './anthropic-events.test-support.js';
import { googleEvents } from './google-events.test-support.js';
import { openAiEvents } from './openai-events.test-support.js';
import type { Scripted, ScriptedRefusal, ScriptedTurn, Wire } from './turns.test-support.js';

export interface ModelRequestSeen {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: JsonObject;
}

export interface ModelServer extends AsyncDisposable {
  /** What stands before `/messages` and `/chat/completions`. */
  readonly baseUrl: string;
  /** Every request for an answer, the oldest first; those for the list of models stand in `listings`. */
  readonly requests: readonly ModelRequestSeen[];
  readonly listings: readonly ModelRequestSeen[];
  /** What follows is said to the next requests, one each, after what was scripted before. */
  script(...turns: readonly Scripted[]): void;
  /** Asked where the script is over; else such a request gets 500. */
  otherwise(answer: (request: ModelRequestSeen) => Scripted): void;
  /** The names `/models` gives; or how it refuses. */
  models(names: readonly string[] | ScriptedRefusal): void;
  /** Lets every stream go on that stalls now. */
  release(): void;
  /** Streams that are not over: one that stalls is. */
  readonly open: number;
  close(): Promise<void>;
}

/** A model over real HTTP that says what it was told to: Anthropic Messages, OpenAI chat completions and Gemini, with SSE. */
export async function startModelServer(port = 0): Promise<ModelServer> {
  const requests: ModelRequestSeen[] = [];
  const listings: ModelRequestSeen[] = [];
  const scripted: Scripted[] = [];
  const stalled = new Set<() => void>();
  let listed: readonly string[] | ScriptedRefusal = ['scripted-1', 'scripted-2'];
  let fallback = (_request: ModelRequestSeen): Scripted => ({ status: 500, body: 'The script is over.' });
  let open = 0;

  const stall = (response: ServerResponse): Promise<void> =>
    new Promise((resolve) => {
      const goOn = (): void => {
        stalled.delete(goOn);
        resolve();
      };
      stalled.add(goOn);
      response.once('close', goOn);
    });
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const seen = await seenOf(request);
    if (/\/models(?:\?|$)/u.test(seen.path)) {
      listings.push(seen);
      return 'status' in listed ? refuse(response, listed) : refuse(response, { status: 200, body: listOf(listed) });
    }
    const number = requests.push(seen);
    const turn = scripted.shift() ?? fallback(seen);
    if ('hangUp' in turn) return void request.socket.resetAndDestroy();
    if ('silent' in turn) return stall(response);
    if ('status' in turn) return refuse(response, turn);
    const wire = turn.wire ?? {};
    const events = 'raw' in turn ? [Buffer.from(turn.raw)] : eventsOf(seen, turn, number);
    response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' });
    response.flushHeaders();
    await send(response, events, wire, () => stall(response));
  };

  const server = createServer((request, response) => {
    open += 1;
    response.once('close', () => (open -= 1));
    answer(request, response).catch((error: unknown) => response.destroy(error as Error));
  });
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  const close = async (): Promise<void> => {
    const closed = new Promise((resolve) => server.close(resolve));
    server.closeAllConnections();
    await closed;
  };
  return {
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    requests,
    listings,
    script: (...turns) => void scripted.push(...turns),
    otherwise: (how) => (fallback = how),
    models: (names) => (listed = names),
    release: () => [...stalled].forEach((goOn) => goOn()),
    get open() {
      return open;
    },
    close,
    [Symbol.asyncDispose]: close,
  };
}

async function seenOf(request: IncomingMessage): Promise<ModelRequestSeen> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part as Buffer);
  const text = Buffer.concat(parts).toString();
  const { method = '', url = '', headers } = request;
  return { method, path: url, headers, body: text === '' ? {} : (JSON.parse(text) as JsonObject) };
}

function eventsOf(seen: ModelRequestSeen, turn: ScriptedTurn, number: number): readonly Buffer[] {
  const { model: named } = seen.body;
  const model = typeof named === 'string' ? named : 'unnamed';
  const speak = seen.path.endsWith('/messages')
    ? anthropicEvents
    : seen.path.includes(':streamGenerateContent')
      ? googleEvents
      : openAiEvents;
  const events = speak(turn, number, model);
  return (turn.wire?.events?.(events) ?? events).map((text) => Buffer.from(text));
}

const listOf = (names: readonly string[]): JsonObject => ({
  object: 'list',
  data: names.map((id) => ({ id, object: 'model', type: 'model' })),
  models: names.map((id) => ({ name: `models/${id}`, supportedGenerationMethods: ['generateContent'] })),
});

function refuse(response: ServerResponse, { status, headers, body }: ScriptedRefusal): void {
  const text = typeof body === 'string' ? body : JSON.stringify(body ?? { error: { message: `status ${status}` } });
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(text);
}

/** Writes the events as the wire has it, and ends the stream or tears it. */
async function send(
  response: ServerResponse,
  events: readonly Uint8Array[],
  wire: Wire,
  stall: () => Promise<void>,
): Promise<void> {
  const cutAt = wire.cutAfterBytes ?? Number.POSITIVE_INFINITY;
  let stallAt =
    wire.stallAfterEvents === undefined
      ? (wire.stallAfterBytes ?? Number.POSITIVE_INFINITY)
      : Buffer.concat(events.slice(0, wire.stallAfterEvents)).length;
  let sent = 0;
  const writes = wire.chunkBytes === undefined ? events : inChunks(Buffer.concat(events), wire.chunkBytes);
  for (const whole of writes) {
    let rest = whole.subarray(0, Math.max(0, cutAt - sent));
    if (sent + rest.length > stallAt) {
      await write(response, rest.subarray(0, stallAt - sent));
      rest = rest.subarray(stallAt - sent);
      sent = stallAt;
      stallAt = Number.POSITIVE_INFINITY;
      await stall();
    }
    await write(response, rest);
    sent += rest.length;
    if (response.destroyed || sent >= cutAt) break;
    if (wire.everyMs !== undefined) await after(wire.everyMs);
  }
  if (stallAt <= sent) await stall();
  if (wire.cut === 'reset') response.socket?.resetAndDestroy();
  else response.end();
}

const write = (response: ServerResponse, bytes: Uint8Array): Promise<void> =>
  new Promise((resolve) => {
    if (bytes.length === 0 || response.destroyed) resolve();
    else response.write(bytes, () => resolve());
  });

function inChunks(bytes: Uint8Array, size: number): readonly Uint8Array[] {
  const chunks: Uint8Array[] = [];
  for (let at = 0; at < bytes.length; at += size) chunks.push(bytes.subarray(at, at + size));
  return chunks;
}
