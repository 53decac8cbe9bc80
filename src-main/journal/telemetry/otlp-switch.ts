import type { Journal } from '../../domain/ports/journal.js';
import { SerialQueue } from '../../platform/serial-queue.js';
import { type OtlpMetrics, startOtlpMetrics } from './otlp-metrics.js';

export interface OtlpSwitchOptions {
  readonly journal: Pick<Journal, 'onCommit'>;
  readonly version: string;
  /** A bad address, or a collector that does not answer at the end. */
  readonly onProblem: (error: unknown) => void;
}

/** Metrics go where the configuration says now; nowhere while it says nothing. */
export class OtlpSwitch {
  readonly #options: OtlpSwitchOptions;
  #endpoint = '';
  #end: (() => Promise<void>) | null = null;
  /** Runs one change after another, whoever asks. */
  readonly #changes = new SerialQueue();

  constructor(options: OtlpSwitchOptions) {
    this.#options = options;
  }

  /** `[telemetry] otlp_endpoint`, at the start and whenever it may have changed. Empty ends it, and sends what is there. */
  set(endpoint: string): Promise<void> {
    return this.#changes.run(() => this.#change(endpoint)).catch(this.#options.onProblem);
  }

  async #change(endpoint: string): Promise<void> {
    if (endpoint === this.#endpoint) return;
    this.#endpoint = endpoint;
    const end = this.#end;
    this.#end = null;
    await end?.().catch(this.#options.onProblem);
    if (endpoint === '') return;
    const metrics: OtlpMetrics = await startOtlpMetrics({ endpoint, version: this.#options.version });
    const unsubscribe = this.#options.journal.onCommit(metrics.record);
    this.#end = () => {
      unsubscribe();
      return metrics.stop();
    };
  }
}
