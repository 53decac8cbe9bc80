import type { Clock } from '../domain/ports.js';
import type { WorkerJournalReader } from './journal-reader.js';
import type { SqliteJournal } from './sqlite-journal.js';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** Calls forgotten in one transaction: short enough that nobody notices. */
const AT_ONCE = 100;

export interface MaintenanceOptions {
  readonly journal: SqliteJournal;
  readonly reader: WorkerJournalReader;
  readonly clock: Clock;
  /** `[journal]` of the configuration, as it is now. */
  readonly limits: () => { readonly keep_days: number; readonly output_quota_bytes: number };
  readonly onError: (error: unknown) => void;
}

/** What the journal does for itself while nobody waits: the check after a crash, retention, the outputs' quota. */
export class JournalMaintenance {
  readonly #options: MaintenanceOptions;
  #timer: NodeJS.Timeout | null = null;
  #stopped = false;
  #running: Promise<void> | null = null;

  constructor(options: MaintenanceOptions) {
    this.#options = options;
  }

  /** Looks the whole database through if the last run did not end well, then tidies, now and every hour. */
  start(): void {
    const { journal, onError } = this.#options;
    const checked = journal.startedAfterCrash ? this.#checkIntegrity() : Promise.resolve();
    checked.then(() => this.tidy()).catch(onError);
    this.#timer = setInterval(() => {
      this.tidy().catch(onError);
    }, HOUR_MS).unref();
  }

  stop(): void {
    this.#stopped = true;
    if (this.#timer !== null) clearInterval(this.#timer);
  }

  /** Forgets what is past its time and what no longer fits. */
  tidy(): Promise<void> {
    this.#running ??= this.#tidy().finally(() => {
      this.#running = null;
    });
    return this.#running;
  }

  async #checkIntegrity(): Promise<void> {
    const { journal, reader } = this.#options;
    const found = await reader.checkIntegrity();
    if (found !== null && !this.#stopped) journal.declareDamaged(found);
  }

  async #tidy(): Promise<void> {
    const { journal, reader, clock, limits } = this.#options;
    const { keep_days: keepDays, output_quota_bytes: quota } = limits();
    const before = clock.now() - keepDays * DAY_MS;
    while (!this.#stopped && journal.health.state === 'ok' && journal.erase(before, AT_ONCE).calls > 0) {
      await new Promise(setImmediate);
    }
    if (!this.#stopped) await reader.pruneOutputs(quota, before);
  }
}
