import type { ModelEvent } from '../../domain/ports/conversation/model.js';

const DEFAULTS_S = [2, 8, 30];
const MAX_WAIT_S = 60;
/** The longest wait that is told; a longer one is no time that anybody waits. */
const MAX_TOLD_WAIT_S = 48 * 3600;

/** How long to wait before asking again, in seconds; null where it is told at once instead. `attempt` counts from 0. */
export function chooseWait(attempt: number, retryAfter: string | null, nowMs: number): number | null {
  const standard = DEFAULTS_S[attempt];
  if (standard === undefined) return null;
  const asked = secondsIn(retryAfter, nowMs);
  if (asked === null) return standard;
  return asked > MAX_WAIT_S ? null : asked;
}

/** When to send again by oneself, as the server asks. */
export function againWords(retryAfter: string | null, nowMs: number): string {
  const seconds = secondsIn(retryAfter, nowMs);
  if (seconds === null || seconds <= MAX_WAIT_S || seconds > MAX_TOLD_WAIT_S) return 'later';
  const minutes = Math.ceil(seconds / 60);
  return minutes < 120 ? `in ${minutes} minutes` : `in ${Math.ceil(minutes / 60)} hours`;
}

/** Retry-After: seconds, or a date. */
function secondsIn(retryAfter: string | null, nowMs: number): number | null {
  const text = retryAfter?.trim() ?? '';
  if (/^\d+(?:\.\d+)?$/u.test(text)) return Math.ceil(Number(text));
  // Only a date has letters: Date.parse takes almost any number for a year.
  const at = /[a-z]/iu.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(at) ? null : Math.max(0, Math.ceil((at - nowMs) / 1000));
}

export type Sleep = (ms: number, signal: AbortSignal) => Promise<void>;

/** Tells each second. Rejects where it is stopped. */
export async function* countDown(
  seconds: number,
  why: 'rate-limit' | 'overloaded',
  sleep: Sleep,
  signal: AbortSignal,
): AsyncGenerator<ModelEvent> {
  for (let left = seconds; left > 0; left -= 1) {
    yield { type: 'waiting', seconds: left, why };
    await sleep(1000, signal);
  }
}
