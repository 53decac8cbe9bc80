import type { Json } from '#contract/vocabulary/json.js';
import type { Redacted } from '../../domain/text/redact.js';
import type { Span } from '../../domain/text/secrets/spans.js';
import { AskedThread } from '../asked/asked-thread.js';
import { startThread } from '../asked/start-thread.js';
import type { RedactionService } from './redaction-protocol.js';

/** No text takes long; what does is the machine, or a fault. */
const PATIENCE_MS = 60_000;
const MAX_MEMORY_MIB = 1024;

/** The thread that scans long texts. A failed thread is replaced; its open requests are rejected. */
export class RedactionWorker {
  readonly #thread: AskedThread<RedactionService>;
  #known: readonly string[] = [];

  constructor(entry: URL) {
    this.#thread = new AskedThread<RedactionService>({
      start: () => startThread(entry, { maxMemoryMib: MAX_MEMORY_MIB }),
      begin: (thread) => thread.tell('know', this.#known),
      patienceMs: () => PATIENCE_MS,
      explain: ({ details }) => new Error(`The redaction ended: ${details}`),
    });
  }

  know(values: readonly string[]): void {
    this.#known = values;
    this.#thread.tell('know', values);
  }

  async find(text: string): Promise<readonly Span[]> {
    const places = await this.#thread.ask('find', text);
    return Array.from({ length: places.length / 2 }, (_, at) => ({
      start: places[2 * at] ?? 0,
      end: places[2 * at + 1] ?? text.length,
    }));
  }

  json(value: Json): Promise<Redacted<Json>> {
    return this.#thread.ask('json', value);
  }
}
