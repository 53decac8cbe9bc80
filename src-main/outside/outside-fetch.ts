import type { Outside, OutsideKey, OutsideMethod } from '../domain/ports/outside.js';

/** Where a request of somebody else's library may go, and which keys go with it; throws for a place that it may not. */
export interface OutsideFetchTarget {
  readonly within: string;
  readonly chosenBy?: 'document';
  readonly keys: readonly OutsideKey[];
}

export type OutsideFetch = (input: string | URL | Request, init?: RequestInit) => Promise<Response>;

const METHODS: ReadonlySet<string> = new Set(['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS']);
/** Statuses whose response can't have a body. */
const BODILESS_STATUSES: ReadonlySet<number> = new Set([204, 205, 304]);
/** Headers that are set by whoever writes the bytes. */
const TRANSPORT_HEADERS: ReadonlySet<string> = new Set(['content-length', 'host', 'connection', 'accept-encoding']);

/** The only HTTP client in the shape that libraries take one. */
export function createOutsideFetch(outside: Outside, placeOf: (url: URL) => OutsideFetchTarget): OutsideFetch {
  return async (input, init) => {
    const request = new Request(input, init);
    const { method, url, signal } = request;
    if (!METHODS.has(method)) throw new TypeError(`${method} is not sent.`);
    const headers = Object.fromEntries([...request.headers].filter(([name]) => !TRANSPORT_HEADERS.has(name)));
    const over = new AbortController();
    try {
      const answer = await outside.send(
        {
          method: method as OutsideMethod,
          url,
          ...placeOf(new URL(url)),
          headers,
          body: request.body === null ? null : await request.bytes(),
          ...(headers['accept']?.includes('text/event-stream') === true ? { endless: true } : {}),
        },
        AbortSignal.any([signal, over.signal]),
      );
      const hasBody = method !== 'HEAD' && !BODILESS_STATUSES.has(answer.status);
      return new Response(hasBody ? toReadableStream(answer.body, over) : null, {
        status: answer.status,
        headers: answer.headers.map(([name, value]): [string, string] => [name, value]),
      });
    } catch (error) {
      signal.throwIfAborted();
      throw error;
    }
  };
}

/** Read as it is wanted, and closed when nobody wants more: at once, also while the next piece is waited for. */
function toReadableStream(body: AsyncIterable<Uint8Array>, over: AbortController): ReadableStream<Uint8Array> {
  const parts = body[Symbol.asyncIterator]();
  return new ReadableStream<Uint8Array>(
    {
      pull: async (controller) => {
        const next = await parts.next();
        if (next.done === true) controller.close();
        else controller.enqueue(next.value);
      },
      cancel: () => over.abort(),
    },
    { highWaterMark: 0 },
  );
}
