/** Longer than a timer can count is as good as without limit. */
const LONGEST_MS = 2 ** 31 - 1;

/** Who waits for the person no longer than the settings say. */
export class Expiries {
  readonly #timers = new Map<string, NodeJS.Timeout>();

  set(callId: string, seconds: number, over: () => void): void {
    if (seconds <= 0) return;
    this.drop(callId);
    this.#timers.set(callId, setTimeout(over, Math.min(seconds * 1000, LONGEST_MS)));
  }

  drop(callId: string): void {
    clearTimeout(this.#timers.get(callId));
    this.#timers.delete(callId);
  }

  clear(): void {
    for (const callId of this.#timers.keys()) this.drop(callId);
  }
}
