import { useEffect, useState } from 'react';

/** The time for which what would be approved must have been shown unchanged (ADR 0021). Main counts, too. */
const STOOD_MS = 500;

/**
 * Whether what `appearance` names has been on the screen for long enough to be approved. Counted from a frame that was
 * painted with it: a window that can't be seen paints none, and what was not painted was not read.
 */
export function useUnchanged(appearance: string): boolean {
  const [stood, setStood] = useState<string | null>(null);
  useEffect(() => {
    let timer: number | undefined;
    let frame = requestAnimationFrame(() => {
      frame = requestAnimationFrame(() => {
        timer = window.setTimeout(() => setStood(appearance), STOOD_MS);
      });
    });
    return () => {
      cancelAnimationFrame(frame);
      clearTimeout(timer);
    };
  }, [appearance]);
  return stood === appearance;
}
