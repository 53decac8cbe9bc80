import type { RequestOf } from '#contract/window/channels.js';
import type { Clock } from '../domain/ports/clock.js';
import type { Logger } from '../platform/logger.js';

/**
 * The most faults that are logged in a time. A page that fails with every frame must not push everything else out of
 * the log.
 */
const MAX_LOGGED = 20;
const WITHIN_MS = 60_000;

/**
 * Logs the page's reports of its own faults, as far as they are worth a line. Its words are not ours: they are kept as
 * fields.
 */
export class PageFaultLog {
  readonly #logger: Pick<Logger, 'error' | 'warn'>;
  readonly #clock: Pick<Clock, 'monotonic'>;
  #began = -Infinity;
  #count = 0;

  constructor(logger: Pick<Logger, 'error' | 'warn'>, clock: Pick<Clock, 'monotonic'>) {
    this.#logger = logger;
    this.#clock = clock;
  }

  note({ in: part, words, stack }: RequestOf<'app.fault'>): void {
    const now = this.#clock.monotonic();
    if (now - this.#began >= WITHIN_MS) {
      if (this.#count > MAX_LOGGED)
        this.#logger.warn('More in the window’s page failed than was logged', { more: this.#count - MAX_LOGGED });
      this.#began = now;
      this.#count = 0;
    }
    this.#count += 1;
    if (this.#count <= MAX_LOGGED) this.#logger.error('Something in the window’s page failed', { part, words, stack });
  }
}
