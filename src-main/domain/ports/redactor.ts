import type { Json } from '#contract/vocabulary/json.js';
import type { Redacted } from '../text/redact.js';
import type { RedactingStream } from '../text/redacting-stream.js';
import type { Span } from '../text/secrets/spans.js';

/**
 * Takes secrets out of everything, by one set of means: structure, a kept detector, and the values that are known. What
 * it gives twice it counts once: a text that went through it goes through again unchanged.
 */
export interface Redactor {
  /** At once, on this thread: for what is short. */
  text(text: string): Redacted<string>;
  json<T extends Json>(value: T): Redacted<T>;
  /** Of any size: what is not short is looked at on a thread of its own. */
  textLater(text: string): Promise<Redacted<string>>;
  /** Of a part of a text: found in all of it, and then cut. A line of a key says nothing by itself. */
  partLater(text: string, from: number, to: number): Promise<Redacted<string>>;
  jsonLater<T extends Json>(value: T): Promise<Redacted<T>>;
  /** What comes in pieces. `also`: what is found besides, in this text alone. */
  stream(also?: (text: string) => readonly Span[]): RedactingStream;
  /** Whether anything is found in a file's content. */
  finds(content: Uint8Array): Promise<boolean>;
}
