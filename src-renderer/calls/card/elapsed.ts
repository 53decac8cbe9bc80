import { useEffect, useState } from 'react';
import { formatDuration } from '../../ui/text/format.js';

/** Formats a duration that counts up: whole seconds, so that it ticks and does not flicker. */
export const formatElapsed = (ms: number): string =>
  ms < 60_000 ? `${Math.floor(Math.max(0, ms) / 1000)} s` : formatDuration(Math.floor(ms / 1000) * 1000);

/** A limit is a round number: “30 s”, not “30.0 s”. */
export const formatLimit = (ms: number): string =>
  formatDuration(ms)
    .replace(/\.0 s$/, ' s')
    .replace(/ 0 s$/, '')
    .replaceAll(' ', '\u00a0');

/** The share of its time a call has used, from 0 to 1. */
export const computeTimeShare = (elapsedMs: number, timeoutMs: number | null): number =>
  timeoutMs === null || timeoutMs <= 0 ? 0 : Math.min(1, Math.max(0, elapsedMs / timeoutMs));

/** The time now, once a second while `running`. */
export function useNow(running: boolean): number {
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    if (!running) return undefined;
    const timer = setInterval(() => setNow(Date.now()), 1000);
    return () => clearInterval(timer);
  }, [running]);
  return now;
}
