import type { Json } from '#contract/vocabulary/json.js';
import { mapTexts, walkJson } from '#contract/vocabulary/text/json-walk.js';
import type { Redactor } from '../../domain/ports/redactor.js';
import { REDACTED, redactJson, type Redacted, redactText } from '../../domain/text/redact.js';
import { RedactingStream } from '../../domain/text/redacting-stream.js';
import { findSecrets, mayHoldSecrets, type SecretDetectors } from '../../domain/text/secrets/find.js';
import { knownValues, NOTHING_KNOWN } from '../../domain/text/secrets/known-values.js';
import { redactSpans, mergeSpans, type Span } from '../../domain/text/secrets/spans.js';
import { createPresetDetector } from './preset-detector.js';
import { RedactionWorker } from './redaction-worker.js';

/** The length that takes this thread less than a frame, whatever it holds. The rest goes to the other thread. */
const MAX_INLINE_LENGTH = 16_384;
/** The cut for texts that are redacted at once all the same: words for people are not longer. */
const MAX_SYNC_LENGTH = 65_536;
/** The length past which a text is not scanned here at all. */
const MAX_SCANNED_LENGTH = 1024 * 1024;
/** The size of the cache of scanned words, and the longest text in it. */
const MAX_CACHED_TEXTS = 500;
const MAX_CACHED_LENGTH = 128;
/** The largest file that is scanned for secrets. */
const MAX_FILE_BYTES = 16 * 1024 * 1024;

export interface RedactorOptions {
  /** The built worker, out/main/redaction.js. */
  readonly entry: URL;
  /** Reports faults of the other thread: its texts are then redacted whole. */
  readonly onFault: (error: unknown) => void;
}

/** The app's one redaction: for the gate, the journal, the log and the window. */
export class AppRedactor implements Redactor {
  readonly #worker: RedactionWorker;
  readonly #onFault: (error: unknown) => void;
  #means: SecretDetectors = { known: NOTHING_KNOWN, detector: createPresetDetector() };
  /** Words without secrets, by these means: the same rule lets a thousand calls run. What holds one is never kept here. */
  readonly #clean = new Set<string>();

  constructor({ entry, onFault }: RedactorOptions) {
    this.#worker = new RedactionWorker(entry);
    this.#onFault = onFault;
  }

  /** Values that are looked for exactly: of the key store, and of the environment that commands may not see. */
  know(values: readonly string[]): void {
    this.#means = { ...this.#means, known: knownValues(values) };
    this.#clean.clear();
    this.#worker.know(values);
  }

  text(text: string): Redacted<string> {
    if (this.#clean.has(text)) return { value: text, count: 0 };
    const redacted = this.#redactNow(text);
    if (redacted.count === 0 && text.length <= MAX_CACHED_LENGTH) {
      if (this.#clean.size >= MAX_CACHED_TEXTS) this.#clean.clear();
      this.#clean.add(text);
    }
    return redacted;
  }

  #redactNow(text: string): Redacted<string> {
    if (text.length <= MAX_SYNC_LENGTH) return redactText(text, { means: this.#means });
    const { value, count } = redactText(text.slice(0, MAX_SYNC_LENGTH), { means: this.#means });
    return { value: `${value}…`, count };
  }

  json<T extends Json>(value: T): Redacted<T> {
    return redactJson(value, { means: this.#means });
  }

  async textLater(text: string): Promise<Redacted<string>> {
    const spans = await this.#find(text);
    return { value: spans.length === 0 ? text : redactSpans(text, spans), count: spans.length };
  }

  async partLater(text: string, from: number, to: number): Promise<Redacted<string>> {
    const spans = (await this.#find(text)).filter(({ start, end }) => end > from && start < to);
    return { value: redactSpans(text, spans, from, to), count: spans.length };
  }

  async jsonLater<T extends Json>(value: T): Promise<Redacted<T>> {
    if (textLength(value, MAX_INLINE_LENGTH) <= MAX_INLINE_LENGTH) return this.json(value);
    try {
      return (await this.#worker.json(value)) as Redacted<T>;
    } catch (error) {
      this.#onFault(error);
      return { value: redactAllTexts(value) as T, count: 1 };
    }
  }

  stream(also?: (text: string) => readonly Span[]): RedactingStream {
    return new RedactingStream(
      also === undefined
        ? (text) => this.#find(text)
        : async (text) => mergeSpans([...(await this.#find(text)), ...also(text)]),
    );
  }

  async finds(content: Uint8Array): Promise<boolean> {
    if (content.byteLength > MAX_FILE_BYTES) return true;
    // Byte for byte where it is no text: what is found is looked for as bytes too.
    const bytes = Buffer.from(content.buffer, content.byteOffset, content.byteLength);
    const text = bytes.toString(bytes.subarray(0, 8192).includes(0) ? 'latin1' : 'utf8').replaceAll('\0', '');
    return (await this.#find(text)).length > 0;
  }

  async #find(text: string): Promise<readonly Span[]> {
    if (text.length <= MAX_INLINE_LENGTH) return findSecrets(text, this.#means);
    // A look takes a millisecond, and next to all of what a command prints goes no further.
    if (text.length <= MAX_SCANNED_LENGTH && !mayHoldSecrets(text, this.#means)) return [];
    try {
      return await this.#worker.find(text);
    } catch (error) {
      this.#onFault(error);
      return [{ start: 0, end: text.length }];
    }
  }
}

/** How much text there is, counted no further than needed. */
function textLength(root: Json, enough: number): number {
  let length = 0;
  for (const { value } of walkJson(root)) {
    if (typeof value === 'string') length += value.length;
    else if (typeof value === 'object' && value !== null) for (const name of Object.keys(value)) length += name.length;
    if ((length += 1) > enough) break;
  }
  return length;
}

/** Replaces every text: one that could not be scanned is not shown. */
const redactAllTexts = (value: Json): Json => mapTexts(value, () => REDACTED);
