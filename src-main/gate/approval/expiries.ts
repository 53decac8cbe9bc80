/** The longest delay that a timer can count (24 days); a longer one is as good as no limit. */
const MAX_TIMER_MS = 2 ** 31 - 1;

/** Timers that end calls which waited for the person as long as the settings allow. */
export class Expiries {
  readonly #timers = new Map<string, NodeJS.Timeout>();

  set(callId: string, seconds: number, over: () => void): void {
    if (seconds <= 0) return;
    this.drop(callId);
    this.#timers.set(callId, setTimeout(over, Math.min(seconds * 1000, MAX_TIMER_MS)));
  }

  drop(callId: string): void {
    clearTimeout(this.#timers.get(callId));
    this.#timers.delete(callId);
  }

  clear(): void {
    for (const callId of this.#timers.keys()) this.drop(callId);
  }
}
