/** The limit for one message of a server. */
export const MAX_MESSAGE_BYTES = 8 * 2 ** 20;

export class MessageTooLarge extends Error {
  constructor() {
    super('it sent a message of more than 8 MB');
    this.name = 'MessageTooLarge';
  }
}

/** Cuts bytes into lines, and holds no more than one. Throws a `MessageTooLarge`, and is not used again then. */
export class BoundedLines {
  #parts: Uint8Array[] = [];
  #held = 0;

  *push(chunk: Uint8Array): Generator<string> {
    let from = 0;
    for (let end = chunk.indexOf(NEWLINE); end !== -1; end = chunk.indexOf(NEWLINE, from)) {
      this.#hold(chunk.subarray(from, end));
      from = end + 1;
      const line = Buffer.concat(this.#parts).toString();
      this.#parts = [];
      this.#held = 0;
      yield line.endsWith('\r') ? line.slice(0, -1) : line;
    }
    this.#hold(chunk.subarray(from));
  }

  #hold(part: Uint8Array): void {
    this.#held += part.length;
    if (this.#held > MAX_MESSAGE_BYTES) throw new MessageTooLarge();
    if (part.length > 0) this.#parts.push(part);
  }
}

const NEWLINE = 0x0a;
