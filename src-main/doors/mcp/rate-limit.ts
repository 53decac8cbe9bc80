/** A bucket of tokens: `burst` at once, `perSecond` in the long run. */
export interface RateLimit {
  take(): boolean;
}

export function createRateLimit({
  burst,
  perSecond,
}: {
  readonly burst: number;
  readonly perSecond: number;
}): RateLimit {
  let tokens = burst;
  let last = performance.now();
  return {
    take() {
      const at = performance.now();
      tokens = Math.min(burst, tokens + ((at - last) / 1000) * perSecond);
      last = at;
      if (tokens < 1) return false;
      tokens -= 1;
      return true;
    },
  };
}
