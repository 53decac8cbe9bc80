/**
 * The bounds of one message. Every part of it costs work later, in the protocol's library, the gate and the journal.
 */
interface JsonBounds {
  /** Values, names and brackets together: what stands between two of `,` `:` `[` `{`. */
  readonly pieces: number;
  readonly depth: number;
  /** Bytes of one name. */
  readonly name: number;
  /** Messages in a batch: as many as the protocol's library takes. */
  readonly batch: number;
}

const BOUNDS: JsonBounds = { pieces: 10_000, depth: 2000, name: 1000, batch: 100 };

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;
/** `"id"`, with its quotes. */
const ID_BYTES = 4;
const MAX_ID_BYTES = 1024;

/**
 * Counts what a JSON text holds while its bytes come in, before anything parses it: four megabytes of brackets or of
 * names are refused for the price of looking at each byte once. It proves nothing about validity; that is the parser's.
 */
export class JsonCounter {
  #pieces = 1;
  #depth = 0;
  #deepest = 0;
  #longestName = 0;
  #items = 1;
  #isArray = false;
  #inString = false;
  #escaped = false;
  #at = 0;
  #stringStart = 0;
  #stringEnd = 0;
  /** Where the value of a two-letter name of the message itself begins; -1 when none is open. */
  #valueFrom = -1;
  #nameFrom = 0;
  readonly #twoLetterNames: { readonly name: number; readonly from: number; readonly to: number }[] = [];

  /** The next bytes, in order. */
  take(bytes: Uint8Array): void {
    const base = this.#at;
    const { length } = bytes;
    let inString = this.#inString;
    let escaped = this.#escaped;
    for (let at = 0; at < length; at += 1) {
      const byte = bytes[at];
      if (inString) {
        if (escaped) escaped = false;
        else if (byte === BACKSLASH) escaped = true;
        else if (byte === QUOTE) {
          inString = false;
          this.#stringEnd = base + at + 1;
        }
      } else if (byte === QUOTE) {
        inString = true;
        this.#stringStart = base + at;
      } else if (byte === COMMA || byte === COLON) this.#separator(byte, base + at);
      else if (byte === OPEN_BRACE || byte === OPEN_BRACKET) this.#open(byte);
      else if (byte === CLOSE_BRACE || byte === CLOSE_BRACKET) this.#close(base + at);
    }
    this.#at = base + length;
    this.#inString = inString;
    this.#escaped = escaped;
  }

  /** Says in words which bound is exceeded; null when none is. */
  excess(bounds: JsonBounds = BOUNDS): string | null {
    if (this.#isArray && this.#items > bounds.batch) return `A batch may hold ${bounds.batch} messages.`;
    if (this.#pieces > bounds.pieces) return `A message may hold ${bounds.pieces} values and names.`;
    if (this.#longestName > bounds.name) return `A name may be ${bounds.name} bytes long.`;
    if (this.#deepest > bounds.depth) return `A message may be nested ${bounds.depth} deep.`;
    return null;
  }

  /** The request's own id, so that who sent too much is told which of its requests that was; null where there is none. */
  idIn(bytes: Buffer): string | number | null {
    const found = this.#twoLetterNames.findLast(
      ({ name }) => bytes.toString('latin1', name, name + ID_BYTES) === '"id"',
    );
    if (this.#isArray || found === undefined || found.to - found.from > MAX_ID_BYTES) return null;
    try {
      const id: unknown = JSON.parse(bytes.toString('utf8', found.from, found.to));
      return typeof id === 'string' || typeof id === 'number' ? id : null;
    } catch {
      return null;
    }
  }

  #separator(byte: number, at: number): void {
    this.#pieces += 1;
    if (byte === COLON) this.#longestName = Math.max(this.#longestName, this.#stringEnd - this.#stringStart - 2);
    if (this.#depth !== 1) return;
    if (byte === COMMA) {
      this.#items += 1;
      this.#endValue(at);
    } else if (this.#stringEnd - this.#stringStart === ID_BYTES) {
      this.#nameFrom = this.#stringStart;
      this.#valueFrom = at + 1;
    }
  }

  #open(byte: number): void {
    if (this.#depth === 0) this.#isArray = byte === OPEN_BRACKET;
    this.#pieces += 1;
    this.#depth += 1;
    if (this.#depth > this.#deepest) this.#deepest = this.#depth;
  }

  #close(at: number): void {
    if (this.#depth === 1) this.#endValue(at);
    this.#depth -= 1;
  }

  #endValue(to: number): void {
    if (this.#valueFrom === -1) return;
    // A text made of nothing but such names must not fill the memory with their places.
    if (this.#twoLetterNames.length < BOUNDS.pieces)
      this.#twoLetterNames.push({ name: this.#nameFrom, from: this.#valueFrom, to });
    this.#valueFrom = -1;
  }
}
