import type { Json } from '#contract/vocabulary/json.js';
import type { Redacted } from '../../domain/text/redact.js';

/** Everything the redaction's thread is asked. */
export interface RedactionService {
  know(values: readonly string[]): void;
  /** Spans as pairs of numbers: a hostile text has a hundred thousand, and the main thread has to take them. */
  find(text: string): Uint32Array;
  json(value: Json): Redacted<Json>;
}
