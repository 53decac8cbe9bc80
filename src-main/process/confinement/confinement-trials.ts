import type { Availability } from './availability.js';

/**
 * Whether commands can be confined now. What succeeded once holds for the run: where it fails later, commands fail and do not
 * run unconfined. What failed is tried again, since a machine may have been slow, or somebody installs what was missing.
 */
export interface ConfinementTrials extends Disposable {
  /** The newest answer; the first one may take a moment. */
  known(): Promise<Availability>;
  /** Tries anew before something would run unconfined, unless that was done just now. */
  again(): Promise<Availability>;
}

export interface TrialsOptions {
  readonly attempt: () => Promise<Availability>;
  readonly onFound: (found: Availability) => void;
  readonly now?: () => number;
}

const FIRST_PAUSE_MS = 2000;
const MAX_PAUSE_MS = 5 * 60_000;
/** An answer that is younger is one of now. */
const FRESH_MS = 1000;

export function openConfinementTrials({
  attempt,
  onFound,
  now = () => performance.now(),
}: TrialsOptions): ConfinementTrials {
  let newest: Promise<Availability> | null = null;
  let state: 'none' | 'trying' | 'failed' | 'succeeded' = 'none';
  let endedAt = 0;
  let pause = FIRST_PAUSE_MS;
  let timer: NodeJS.Timeout | null = null;
  let disposed = false;

  function tryNow(): Promise<Availability> {
    if (timer !== null) clearTimeout(timer);
    timer = null;
    state = 'trying';
    newest = attempt().then((found) => {
      state = found.available ? 'succeeded' : 'failed';
      endedAt = now();
      if (!found.available) later();
      if (!disposed) onFound(found);
      return found;
    });
    return newest;
  }

  function later(): void {
    if (disposed) return;
    timer = setTimeout(() => void tryNow(), pause);
    timer.unref();
    pause = Math.min(pause * 2, MAX_PAUSE_MS);
  }

  return {
    known: () => newest ?? tryNow(),
    again() {
      const isUsable =
        state === 'trying' || state === 'succeeded' || (state === 'failed' && now() - endedAt < FRESH_MS);
      return newest !== null && isUsable ? newest : tryNow();
    },
    [Symbol.dispose]() {
      disposed = true;
      if (timer !== null) clearTimeout(timer);
    },
  };
}
