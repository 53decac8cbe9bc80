export interface Debouncer {
  /** It changed once more. */
  readonly changed: () => void;
  readonly end: () => void;
}

/** Tells of a change when it has been quiet for a moment; of what never is quiet, so often all the same. */
export function createDebouncer(settleMs: number, longestMs: number, onSettled: () => void): Debouncer {
  let timer: NodeJS.Timeout | undefined;
  let first: number | null = null;
  return {
    changed: () => {
      clearTimeout(timer);
      first ??= performance.now();
      const left = Math.max(0, first + longestMs - performance.now());
      timer = setTimeout(
        () => {
          first = null;
          onSettled();
        },
        Math.min(settleMs, left),
      );
    },
    end: () => clearTimeout(timer),
  };
}
