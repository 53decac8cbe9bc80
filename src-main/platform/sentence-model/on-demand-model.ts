import type { Embedder } from '../../domain/ports/embedder.js';
import { type AskedPeer, AskedThread } from '../asked/asked-thread.js';
import { DIMENSIONS, type ModelService } from './model-protocol.js';

export interface OnDemandModelOptions {
  /** Starts the process that has the model, or is getting it. */
  readonly start: () => AskedPeer;
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
const FAILED = 'The sentence model that comes with Gatehouse can’t be used on this computer just now.';

/** The sentence model that comes with the app, in a process that is started when it is needed and ended when it is not. */
export class OnDemandModel implements Embedder {
  /** The name of its file, with the beginning of its SHA-256. */
  readonly model = 'all-MiniLM-L6-v2-int8-afdb6f1a0e45b715';
  readonly threshold = 0;
  readonly #process: AskedThread<ModelService>;
  #restsUntil = 0;

  constructor({ start, log, times = TIMES }: OnDemandModelOptions) {
    this.#process = new AskedThread<ModelService>({
      start,
      patienceMs: () => times.patienceMs,
      idleMs: times.idleMs,
      endsOnRefusal: true,
      explain: (trouble) => {
        if (trouble.is === 'closed') return new Error('Gatehouse is closing.');
        this.#restsUntil = performance.now() + times.restMs;
        log('The sentence model failed', trouble.details);
        return new Error(FAILED);
      },
    });
  }

  async embed(texts: readonly string[]): Promise<readonly Float32Array[]> {
    const vectors: Float32Array[] = [];
    for (let at = 0; at < texts.length; at += TOGETHER) {
      if (performance.now() < this.#restsUntil) throw new Error(FAILED);
      const some = texts.slice(at, at + TOGETHER);
      const answer = await this.#process.ask('embed', some);
      for (const index of some.keys()) vectors.push(answer.slice(index * DIMENSIONS, (index + 1) * DIMENSIONS));
    }
    return vectors;
  }

  close(): void {
    void this.#process.close();
  }
}
