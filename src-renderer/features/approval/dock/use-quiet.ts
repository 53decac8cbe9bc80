import { type RefObject, useEffect, useLayoutEffect, useRef, useState } from 'react';

/** So long a sheet that came in the place of another takes no key and no press: they were meant for that one. */
const QUIET_MS = 500;
const MEANT = ['keydown', 'beforeinput', 'pointerdown', 'mousedown', 'click'] as const;

export interface QuietOptions {
  /** The name of what is shown: with another name, another sheet. */
  readonly shown: string | null;
  /** Names of all waiting sheets. */
  readonly waiting: ReadonlySet<string>;
  readonly whole: RefObject<HTMLElement | null>;
}

/**
 * Whether the sheet that is shown takes nothing yet. Counted from a frame that was painted with it, by when a key was
 * pressed and not by when that is heard. Keys that follow one another without a pause are one text: what of it comes later
 * is not meant for this sheet either. One that the person chose themselves is answered at once.
 */
export function useQuiet({ shown, waiting, whole }: QuietOptions): boolean {
  const [quiet, setQuiet] = useState<string | null>(null);
  const until = useRef(-Infinity);
  const before = useRef<string | null>(null);
  const leftAt = useRef(-Infinity);
  const names = useRef(waiting);
  useLayoutEffect(() => {
    names.current = waiting;
  });

  useLayoutEffect(() => {
    const last = before.current;
    before.current = shown;
    if (last !== null && !names.current.has(last)) leftAt.current = performance.now();
    if (shown === null || performance.now() - leftAt.current >= QUIET_MS) return undefined;
    until.current = Infinity;
    setQuiet(shown);
    let timer: number | undefined;
    const settle = () => {
      const left = until.current - performance.now();
      if (left > 0) timer = window.setTimeout(settle, left);
      else setQuiet(null);
    };
    let frame = requestAnimationFrame(() => {
      frame = requestAnimationFrame(() => {
        until.current = performance.now() + QUIET_MS;
        settle();
      });
    });
    return () => {
      cancelAnimationFrame(frame);
      clearTimeout(timer);
      until.current = -Infinity;
    };
  }, [shown]);

  useEffect(() => {
    const ignore = (event: Event) => {
      if (event.timeStamp >= until.current || !(event.target instanceof Node)) return;
      if (whole.current?.contains(event.target) !== true) return;
      if (event.type === 'keydown') until.current = Math.max(until.current, event.timeStamp + QUIET_MS);
      event.preventDefault();
      event.stopImmediatePropagation();
    };
    for (const type of MEANT) window.addEventListener(type, ignore, { capture: true });
    return () => {
      for (const type of MEANT) window.removeEventListener(type, ignore, { capture: true });
    };
  }, [whole]);

  return quiet !== null && quiet === shown;
}
