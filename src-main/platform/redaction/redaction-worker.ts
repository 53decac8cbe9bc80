import { Worker } from 'node:worker_threads';
import type { Json } from '#contract/vocabulary/json.js';
import type { Redacted } from '../../domain/text/redact.js';
import type { Span } from '../../domain/text/secrets/spans.js';
import type { RedactionAnswer, RedactionRequest } from './redaction-protocol.js';

/** No text takes long; what does is the machine, or a fault. */
const PATIENCE_MS = 60_000;
const MAX_MEMORY_MIB = 1024;

interface PendingScan {
  readonly resolve: (answer: RedactionAnswer) => void;
  readonly reject: (error: unknown) => void;
  readonly timer: NodeJS.Timeout;
}

/** The thread that scans long texts. A failed thread is replaced; its open requests are rejected. */
export class RedactionWorker {
  readonly #entry: URL;
  readonly #waiting = new Map<number, PendingScan>();
  #known: readonly string[] = [];
  #worker: Worker | null = null;
  #last = 0;

  constructor(entry: URL) {
    this.#entry = entry;
  }

  know(values: readonly string[]): void {
    this.#known = values;
    this.#worker?.postMessage({ kind: 'know', values } satisfies RedactionRequest, []);
  }

  async find(text: string): Promise<readonly Span[]> {
    const answer = await this.#ask((id) => ({ kind: 'find', id, text }));
    if (answer.kind !== 'found') throw new Error('The redaction lost count.');
    const { places } = answer;
    return Array.from({ length: places.length / 2 }, (_, at) => ({
      start: places[2 * at] ?? 0,
      end: places[2 * at + 1] ?? text.length,
    }));
  }

  async json(value: Json): Promise<Redacted<Json>> {
    const answer = await this.#ask((id) => ({ kind: 'json', id, value }));
    if (answer.kind !== 'json') throw new Error('The redaction lost count.');
    return { value: answer.value, count: answer.count };
  }

  #ask(request: (id: number) => RedactionRequest): Promise<RedactionAnswer> {
    const worker = (this.#worker ??= this.#start());
    const id = (this.#last += 1);
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => this.#end(worker, new Error('The redaction takes too long.')), PATIENCE_MS);
      this.#waiting.set(id, { resolve, reject, timer });
      worker.ref();
      worker.postMessage(request(id), []);
    });
  }

  #start(): Worker {
    const worker = new Worker(this.#entry, { resourceLimits: { maxOldGenerationSizeMb: MAX_MEMORY_MIB } });
    worker.postMessage({ kind: 'know', values: this.#known } satisfies RedactionRequest, []);
    worker.on('message', (answer: RedactionAnswer) => {
      const waiting = this.#waiting.get(answer.id);
      this.#waiting.delete(answer.id);
      clearTimeout(waiting?.timer);
      // The app does not wait for the thread when it ends.
      if (this.#waiting.size === 0) worker.unref();
      waiting?.resolve(answer);
    });
    worker.on('error', (error) => this.#end(worker, error));
    worker.on('exit', () => this.#end(worker, new Error('The redaction ended.')));
    return worker;
  }

  #end(worker: Worker, error: unknown): void {
    if (this.#worker !== worker) return;
    this.#worker = null;
    void worker.terminate();
    const all = [...this.#waiting.values()];
    this.#waiting.clear();
    for (const { timer, reject } of all) {
      clearTimeout(timer);
      reject(error);
    }
  }
}
