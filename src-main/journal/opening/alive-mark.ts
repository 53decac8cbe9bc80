import { readFileSync, statSync, utimes, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Clock } from '../../domain/ports/clock.js';

const BEAT_MS = 5000;

/**
 * When the app last ran, and whether it ended as it should. Only the file's time changes with each beat: no data is
 * written and nothing is synced, so that a heartbeat costs nothing.
 */
export class AliveMark {
  readonly lastAlive: number | null;
  readonly startedAfterCrash: boolean;
  readonly #file: string;
  readonly #clock: Clock;
  readonly #timer: NodeJS.Timeout;

  constructor(dataDir: string, clock: Clock) {
    this.#file = join(dataDir, 'journal.alive');
    this.#clock = clock;
    const before = readMark(this.#file);
    this.lastAlive = before?.at ?? null;
    this.startedAfterCrash = before?.state === 'running';
    writeFileSync(this.#file, 'running', { mode: 0o600 });
    this.#timer = setInterval(() => this.#beat(), BEAT_MS).unref();
    this.#beat();
  }

  end(): void {
    clearInterval(this.#timer);
    writeFileSync(this.#file, 'stopped', { mode: 0o600 });
  }

  #beat(): void {
    const now = this.#clock.now() / 1000;
    // A beat that is lost (a full disk) only makes the time older.
    utimes(this.#file, now, now, () => undefined);
  }
}

function readMark(file: string): { readonly state: string; readonly at: number } | null {
  try {
    return { state: readFileSync(file, 'utf8'), at: Math.round(statSync(file).mtimeMs) };
  } catch {
    return null;
  }
}
