import { createParser } from 'eventsource-parser';

/** An event of a stream. The name is empty where none was given. */
export interface StreamedEvent {
  readonly name: string;
  readonly data: string;
}

const MAX_EVENT = 8 * 2 ** 20;

/** The stream is no text, or one event of it is without end. */
export class UnreadableStream extends Error {}

/**
 * An event is there with its blank line, or where the stream ended cleanly after its last line. A stream that breaks off
 * (`body` throws) has no more events than it had.
 */
export async function* streamedEvents(body: AsyncIterable<Uint8Array>): AsyncGenerator<readonly StreamedEvent[]> {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  let events: StreamedEvent[] = [];
  const parser = createParser({
    maxBufferSize: MAX_EVENT,
    onEvent: ({ event = '', data }) => void events.push({ name: event, data }),
    onError: ({ type }) => {
      if (type === 'max-buffer-size-exceeded') throw new UnreadableStream('One event of it has no end.');
    },
  });
  const take = (bytes?: Uint8Array): readonly StreamedEvent[] => {
    events = [];
    try {
      parser.feed(bytes === undefined ? `${decoder.decode()}\n\n` : decoder.decode(bytes, { stream: true }));
    } catch (error) {
      throw error instanceof TypeError ? new UnreadableStream('It holds bytes that are no text.') : error;
    }
    return events;
  };
  for await (const bytes of body) {
    const taken = take(bytes);
    if (taken.length > 0) yield taken;
  }
  yield take();
}
