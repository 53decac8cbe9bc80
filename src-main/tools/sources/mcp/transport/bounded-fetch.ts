import type { FetchLike } from '@modelcontextprotocol/client';
import { MessageTooLarge, MAX_MESSAGE_BYTES } from './bounded-lines.js';

export interface FetchListener {
  readonly onTooLarge: () => void;
  /** A request left whose answer may come in a stream. */
  readonly onAsked: (id: number) => void;
  /** Called when the stream of that request is over, and can’t be resumed. */
  readonly onStreamEnd: (id: number) => void;
}

/** No message of an answer is longer than one may be: of a stream of events each, of any other answer the whole. */
export function boundedFetch(fetch: FetchLike, listener: FetchListener): FetchLike {
  return async (input, init) => {
    const id = readRequestId(init?.body);
    if (id !== null) listener.onAsked(id);
    const response = await fetch(input, init);
    if (response.body === null) return response;
    const isStream = response.headers.get('content-type')?.includes('text/event-stream') === true;
    const onEnd = isStream && id !== null ? () => listener.onStreamEnd(id) : () => undefined;
    return new Response(limitStream(response.body, isStream, listener.onTooLarge, onEnd), {
      status: response.status,
      statusText: response.statusText,
      headers: response.headers,
    });
  };
}

/** The id of the one message that goes out, if it is a request. */
function readRequestId(body: unknown): number | null {
  if (typeof body !== 'string') return null;
  const { id, method } = JSON.parse(body) as { readonly id?: unknown; readonly method?: unknown };
  return typeof id === 'number' && typeof method === 'string' ? id : null;
}

function limitStream(
  body: ReadableStream<Uint8Array>,
  isStream: boolean,
  onTooLarge: () => void,
  onEnd: () => void,
): ReadableStream<Uint8Array> {
  const reader = body.getReader();
  const size = isStream ? new EventSize() : new BodySize();
  /** The server gave it a place to go on from: the SDK asks for the rest. */
  const over = (): void => {
    if (!(size instanceof EventSize && size.isResumable)) setImmediate(onEnd);
  };
  return new ReadableStream(
    {
      async pull(controller) {
        try {
          const { value, done } = await reader.read();
          if (done) {
            over();
            controller.close();
          } else if (size.add(value) > MAX_MESSAGE_BYTES) {
            onTooLarge();
            void reader.cancel().catch(() => undefined);
            controller.error(new MessageTooLarge());
          } else controller.enqueue(value);
        } catch (error) {
          over();
          controller.error(error);
        }
      },
      cancel: (reason) => reader.cancel(reason),
    },
    { highWaterMark: 0 },
  );
}

class BodySize {
  #held = 0;

  add(chunk: Uint8Array): number {
    return (this.#held += chunk.length);
  }
}

/** Counts the size of the event that is coming. */
class EventSize {
  isResumable = false;
  #held = 0;
  #line = '';

  add(chunk: Uint8Array): number {
    for (const byte of chunk) {
      this.#held += 1;
      if (byte === NEWLINE) {
        if (this.#line.startsWith('id:')) this.isResumable = true;
        // An empty line ends an event.
        if (this.#line === '') this.#held = 0;
        this.#line = '';
      } else if (byte !== RETURN && this.#line.length < FIELD_NAME_LENGTH) this.#line += String.fromCharCode(byte);
      if (this.#held > MAX_MESSAGE_BYTES) break;
    }
    return this.#held;
  }
}

const NEWLINE = 0x0a;
const RETURN = 0x0d;
/** The length of a field's name: as much of a line as is needed to tell what it is. */
const FIELD_NAME_LENGTH = 3;
