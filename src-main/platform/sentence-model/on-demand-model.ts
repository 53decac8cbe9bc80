import type { Embedder } from '../../domain/ports/embedder.js';
import { DIMENSIONS, type EmbedAnswer, type EmbedRequest } from './model-protocol.js';

/** A process that has the model, or is getting it. */
export interface ModelProcess {
  ask(request: EmbedRequest): void;
  onAnswer(listener: (answer: EmbedAnswer) => void): void;
  onEnd(listener: () => void): void;
  end(): void;
}

export interface OnDemandModelOptions {
  readonly start: () => ModelProcess;
  readonly times?: ModelTimes;
  /** Logs faults in more detail than a person needs. */
  readonly log: (message: string, details: string) => void;
}

interface ModelTimes {
  /** The idle time after which the process ends, and its 180 MB with it. */
  readonly idleMs: number;
  /** The limit for one piece of work, with the model's own start. */
  readonly patienceMs: number;
  /** The pause after a failure: a model that can’t run on this machine is not started for every question. */
  readonly restMs: number;
}
const TIMES: ModelTimes = { idleMs: 60_000, patienceMs: 20_000, restMs: 60_000 };

/** Small enough that a question waits for one piece a tenth of a second. */
const TOGETHER = 16;

interface PendingEmbedding {
  readonly resolve: (vectors: Float32Array) => void;
  readonly reject: (error: Error) => void;
  readonly timer: NodeJS.Timeout;
}

/** The sentence model that comes with the app, in a process that is started when it is needed and ended when it is not. */
export class OnDemandModel implements Embedder {
  /** The name of its file, with the beginning of its SHA-256. */
  readonly model = 'all-MiniLM-L6-v2-int8-afdb6f1a0e45b715';
  readonly threshold = 0;
  readonly #options: OnDemandModelOptions;
  readonly #times: ModelTimes;
  readonly #waiting = new Map<number, PendingEmbedding>();
  #process: ModelProcess | null = null;
  #idle: NodeJS.Timeout | null = null;
  #restsUntil = 0;
  #last = 0;

  constructor(options: OnDemandModelOptions) {
    this.#options = options;
    this.#times = options.times ?? TIMES;
  }

  async embed(texts: readonly string[]): Promise<readonly Float32Array[]> {
    const vectors: Float32Array[] = [];
    for (let at = 0; at < texts.length; at += TOGETHER) {
      const some = texts.slice(at, at + TOGETHER);
      const answer = await this.#ask(some);
      for (const index of some.keys()) vectors.push(answer.slice(index * DIMENSIONS, (index + 1) * DIMENSIONS));
    }
    return vectors;
  }

  close(): void {
    this.#end(new Error('Gatehouse is closing.'));
  }

  #ask(texts: readonly string[]): Promise<Float32Array> {
    if (performance.now() < this.#restsUntil) return Promise.reject(new Error(FAILED));
    if (this.#idle !== null) clearTimeout(this.#idle);
    this.#idle = null;
    const id = (this.#last += 1);
    const { promise, resolve, reject } = Promise.withResolvers<Float32Array>();
    const timer = setTimeout(() => this.#fail('It did not answer in time.'), this.#times.patienceMs).unref();
    this.#waiting.set(id, { resolve, reject, timer });
    this.#process ??= this.#start();
    this.#process.ask({ id, texts });
    return promise;
  }

  #start(): ModelProcess {
    const started = this.#options.start();
    started.onAnswer((answer) => {
      if (this.#process === started) this.#settle(answer);
    });
    started.onEnd(() => {
      if (this.#process === started) this.#fail('It ended.');
    });
    return started;
  }

  #settle(answer: EmbedAnswer): void {
    const waiting = this.#waiting.get(answer.id);
    if (waiting === undefined) return;
    if (!answer.ok) return this.#fail(answer.reason);
    this.#waiting.delete(answer.id);
    clearTimeout(waiting.timer);
    waiting.resolve(answer.vectors);
    if (this.#waiting.size === 0)
      this.#idle = setTimeout(() => this.#end(new Error(FAILED)), this.#times.idleMs).unref();
  }

  #fail(reason: string): void {
    this.#restsUntil = performance.now() + this.#times.restMs;
    this.#options.log('The sentence model failed', reason);
    this.#end(new Error(FAILED));
  }

  #end(error: Error): void {
    const ended = this.#process;
    this.#process = null;
    if (this.#idle !== null) clearTimeout(this.#idle);
    this.#idle = null;
    ended?.end();
    const waiting = [...this.#waiting.values()];
    this.#waiting.clear();
    for (const { reject, timer } of waiting) {
      clearTimeout(timer);
      reject(error);
    }
  }
}

const FAILED = 'The sentence model that comes with Gatehouse can’t be used on this computer just now.';
