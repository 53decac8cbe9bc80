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
  const reader = new EventReader();
  for await (const bytes of body) {
    const events = reader.take(bytes);
    if (events.length > 0) yield events;
  }
  yield reader.end();
}

class EventReader {
  readonly #decoder = new TextDecoder('utf-8', { fatal: true });
  #afterReturn = false;
  /** The pieces of the line that has not ended: joined once it has, so a long one costs no more than its length. */
  #line: string[] = [];
  #data: string[] = [];
  #name = '';
  #size = 0;
  #events: StreamedEvent[] = [];

  take(bytes: Uint8Array): readonly StreamedEvent[] {
    this.#read(this.#decode(bytes));
    return this.#given();
  }

  end(): readonly StreamedEvent[] {
    this.#read(this.#decode(null));
    this.#endLine('');
    this.#dispatch();
    return this.#given();
  }

  #decode(bytes: Uint8Array | null): string {
    try {
      return bytes === null ? this.#decoder.decode() : this.#decoder.decode(bytes, { stream: true });
    } catch {
      throw new UnreadableStream('It holds bytes that are no text.');
    }
  }

  #read(decoded: string): void {
    if (decoded === '') return;
    const text = this.#afterReturn && decoded.startsWith('\n') ? decoded.slice(1) : decoded;
    this.#afterReturn = decoded.endsWith('\r');
    const lines = text.split(/\r\n|\n|\r/u);
    const rest = lines.pop() ?? '';
    for (const line of lines) this.#endLine(line);
    this.#size += rest.length;
    if (this.#size > MAX_EVENT) throw new UnreadableStream('One event of it has no end.');
    if (rest !== '') this.#line.push(rest);
  }

  #endLine(last: string): void {
    const line = this.#line.length === 0 ? last : this.#line.join('') + last;
    this.#line = [];
    this.#size += last.length;
    if (line === '') return this.#dispatch();
    const at = line.indexOf(':');
    const field = at === -1 ? line : line.slice(0, at);
    const value = at === -1 ? '' : line.slice(line[at + 1] === ' ' ? at + 2 : at + 1);
    if (field === 'data') this.#data.push(value);
    else if (field === 'event') this.#name = value;
  }

  #dispatch(): void {
    if (this.#data.length > 0) this.#events.push({ name: this.#name, data: this.#data.join('\n') });
    this.#data = [];
    this.#name = '';
    this.#size = 0;
  }

  #given(): readonly StreamedEvent[] {
    const events = this.#events;
    this.#events = [];
    return events;
  }
}
