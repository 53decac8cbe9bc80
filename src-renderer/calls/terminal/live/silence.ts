const FIRST_MS = 20_000;
const MINUTE_MS = 60_000;

/**
 * Words a command's silence; null for as long as that is no news. The words change seldom, so that they can be read.
 */
export function describeSilence(silentMs: number): string | null {
  if (silentMs < FIRST_MS) return null;
  const since =
    silentMs < MINUTE_MS ? `${Math.floor(silentMs / FIRST_MS) * 20} s` : `${Math.floor(silentMs / MINUTE_MS)} min`;
  return `No output for ${since}; it may wait for input, and gets none.`;
}
