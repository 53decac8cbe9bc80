/**
 * Measures how much was recorded of each agent in the last minute, in steps of a second. Pure but for its own memory.
 */
export class RecordingMeter {
  readonly #seconds = new Map<string, { second: number; bytes: number }[]>();

  add(agent: string, bytes: number, now: number): void {
    const steps = this.#fresh(agent, now);
    const second = Math.floor(now / 1000);
    const last = steps.at(-1);
    if (last?.second === second) last.bytes += bytes;
    else steps.push({ second, bytes });
    this.#seconds.set(agent, steps);
  }

  /** Seconds until it is within the limit again; null while it is. */
  secondsOverLimit(agent: string, limitBytes: number, now: number): number | null {
    const steps = this.#fresh(agent, now);
    let excess = steps.reduce((sum, { bytes }) => sum + bytes, 0) - limitBytes;
    if (excess <= 0) return null;
    for (const { second, bytes } of steps) {
      excess -= bytes;
      if (excess <= 0) return Math.max(1, second + MINUTE - Math.floor(now / 1000));
    }
    return MINUTE;
  }

  #fresh(agent: string, now: number): { second: number; bytes: number }[] {
    const oldest = Math.floor(now / 1000) - MINUTE;
    return (this.#seconds.get(agent) ?? []).filter(({ second }) => second > oldest);
  }
}

const MINUTE = 60;
