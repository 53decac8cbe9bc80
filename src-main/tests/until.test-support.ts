import { setTimeout as wait } from 'node:timers/promises';

/** What never comes is a failure that says so, and no hang. */
const LONGEST_WAIT_MS = 20_000;
const BETWEEN_MS = 5;

/** Waits until it is so. Where that takes long by itself, `longestMs` says how long it may. */
export async function until(so: () => boolean | Promise<boolean>, longestMs = LONGEST_WAIT_MS): Promise<void> {
  for (const began = performance.now(); !(await so());) {
    if (performance.now() - began > longestMs)
      throw new Error(`It was not so within ${longestMs / 1000} s: ${so.toString()}`);
    await wait(BETWEEN_MS);
  }
}
