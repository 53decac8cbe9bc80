import { createParser } from 'eventsource-parser';
import type { FetchLike } from '@modelcontextprotocol/client';
import { MessageTooLarge, MAX_MESSAGE_BYTES } from './message-too-large.js';

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
          } else if (size.isTooLarge(value)) {
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

  isTooLarge(chunk: Uint8Array): boolean {
    return (this.#held += chunk.length) > MAX_MESSAGE_BYTES;
  }
}

/** Follows the event that is coming, as the SDK reads it. */
class EventSize {
  isResumable = false;
  #isTooLarge = false;
  readonly #decoder = new TextDecoder();
  readonly #parser = createParser({
    maxBufferSize: MAX_MESSAGE_BYTES,
    onEvent: ({ id }) => {
      if (id !== undefined) this.isResumable = true;
    },
    onError: ({ type }) => {
      if (type === 'max-buffer-size-exceeded') this.#isTooLarge = true;
    },
  });

  isTooLarge(chunk: Uint8Array): boolean {
    this.#parser.feed(this.#decoder.decode(chunk, { stream: true }));
    return this.#isTooLarge;
  }
}
