import type { Json } from '#contract/vocabulary/json.js';
import type { Redacted } from '../text/redact.js';
import type { RedactingStream } from '../text/redacting-stream.js';
import type { Span } from '../text/secrets/spans.js';

/**
 * Takes secrets out of everything, by one set of means: structure, a kept detector, and the values that are known.
 * Redacting is idempotent: a text that went through it goes through again unchanged, and is counted once.
 */
export interface Redactor {
  /** Redacts a short text at once, on this thread. */
  text(text: string): Redacted<string>;
  json<T extends Json>(value: T): Redacted<T>;
  /** Redacts a text of any size: one that is not short is looked at on a thread of its own. */
  textLater(text: string): Promise<Redacted<string>>;
  /**
   * Redacts a part of a text: secrets are found in all of it, and then it is cut. A line of a key says nothing by
   * itself.
   */
  partLater(text: string, from: number, to: number): Promise<Redacted<string>>;
  jsonLater<T extends Json>(value: T): Promise<Redacted<T>>;
  /** Redacts a text that comes in pieces. `also` finds more secrets, in this text alone. */
  stream(also?: (text: string) => readonly Span[]): RedactingStream;
  /** Whether a secret is found in a file's content. */
  finds(content: Uint8Array): Promise<boolean>;
}
