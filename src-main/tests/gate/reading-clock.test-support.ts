import type { Clock } from '../../domain/ports/clock.js';
import { systemClock } from '../../platform/clock.js';

export interface ReadingClock extends Clock {
  /** Half a second goes by, as it does for a person who reads what they approve. */
  readonly read: () => void;
}

export function readingClock(clock: Clock = systemClock): ReadingClock {
  let read = 0;
  return {
    now: () => clock.now(),
    monotonic: () => clock.monotonic() + read,
    read: () => void (read += 500),
  };
}
