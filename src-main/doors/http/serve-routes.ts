import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Bearer } from '../../domain/call/asker.js';
import { sendJson } from './replies.js';
import { errorAnswer, type Malformed, type Route, type RouteAnswer, type RouteRequest } from './route.js';
import { type CheckedInput, type InputReader, inputReaderOf } from './route-input.js';
import { type FoundRoute, routeTable } from './route-table.js';

interface IncomingBody {
  readonly query: URLSearchParams;
  /** Null: its route takes none. */
  readonly body: string | null;
  readonly bearer: Bearer;
  readonly origin: string;
  /** Fires when the gateway stops. What is answered then still goes out. */
  readonly stopping: AbortSignal;
}

export interface RouteServer {
  readonly find: (method: string, pathname: string) => FoundRoute;
  /** Reads what came by the route's schemas, and sends what it answers. */
  readonly answer: (
    found: Extract<FoundRoute, { kind: 'found' }>,
    came: IncomingBody,
    request: IncomingMessage,
    response: ServerResponse,
  ) => Promise<void>;
  /** Answers a body that can't be read at all. */
  readonly unreadable: (
    found: Extract<FoundRoute, { kind: 'found' }>,
    why: string,
    bearer: Bearer,
    response: ServerResponse,
  ) => void;
}

export function serveRoutes(routes: readonly Route[]): RouteServer {
  const readers = new Map<Route, InputReader>(routes.map((route) => [route, inputReaderOf(route.facts)]));
  return {
    find: routeTable(routes),
    async answer({ route, parameters }, came, request, response) {
      const reader = readers.get(route);
      if (reader === undefined) throw new Error(`${route.facts.path} is served by another table.`);
      const { bearer, origin } = came;
      const { headers } = request;
      const malformed = (wrong: Pick<Malformed, 'in' | 'at' | 'message'>, body: unknown): void =>
        send(response, (route.facts.onMalformed ?? sayBadRequest)({ ...wrong, body, headers, bearer, parameters }));
      const query = reader.query(came.query);
      if (!query.ok) return malformed(query.wrong, null);
      const parsed = came.body === null ? NOTHING : parse(came.body);
      if (!parsed.ok) return malformed(parsed.wrong, null);
      const body = reader.body(parsed.value);
      if (!body.ok) return malformed(body.wrong, parsed.value);
      const asked: RouteRequest = {
        parameters,
        query: query.value,
        body: body.value,
        headers,
        bearer,
        origin,
        left: AbortSignal.any([leavingOf(response), came.stopping]),
      };
      send(response, await route.answer(asked));
    },
    unreadable({ route: { facts }, parameters }, message, bearer, response) {
      const { headers } = response.req;
      const wrong: Malformed = { in: 'json', at: '', message, body: null, headers, bearer, parameters };
      send(response, (facts.onMalformed ?? sayBadRequest)(wrong));
    },
  };
}

const NOTHING: CheckedInput<unknown> = { ok: true, value: undefined };

function parse(text: string): CheckedInput<unknown> {
  try {
    return { ok: true, value: JSON.parse(text) as unknown };
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return { ok: false, wrong: { in: 'json', at: '', message: `The body is not JSON: ${why.slice(0, 200)}` } };
  }
}

/** The connection ended before the answer did. */
function leavingOf(response: ServerResponse): AbortSignal {
  const leaving = new AbortController();
  const look = (): void => {
    if (!response.writableEnded) leaving.abort('The caller left.');
  };
  if (response.destroyed) look();
  else response.once('close', look);
  return leaving.signal;
}

const sayBadRequest = ({ message }: Malformed): RouteAnswer => errorAnswer(400, 'BadRequest', message);

const send = (response: ServerResponse, { status, body, headers = {} }: RouteAnswer): void =>
  sendJson(response, status, body, headers);
