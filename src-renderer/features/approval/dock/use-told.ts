import { useCallback, useEffect, useState } from 'react';
import { askerWords } from '#contract/vocabulary/call-words.js';
import { live } from '../../../store/app.js';

/** So long a line stands that nobody has to answer. */
const STANDS_MS = 10_000;

interface Line {
  readonly id: number;
  readonly text: string;
  /** The sheet that it leads to; null for what leads nowhere. */
  readonly sheet: string | null;
}

let lines = 0;

/** What is said beside the sheet: what was taken back, and who asks while somebody is busy elsewhere. */
export function useTold(): {
  readonly told: readonly Line[];
  readonly tell: (text: string, sheet?: string | null) => void;
} {
  const [told, setTold] = useState<readonly Line[]>([]);
  const tell = useCallback((text: string, sheet: string | null = null) => {
    lines += 1;
    const line = { id: lines, text, sheet };
    setTold((all) => [...all, line].slice(-4));
    window.setTimeout(() => setTold((all) => all.filter((each) => each !== line)), STANDS_MS);
  }, []);
  useEffect(
    () =>
      live.on('taken-back', ({ what }) =>
        tell(
          `${askerWords(what.door, what.conversation ?? (what.agent === null ? what.client : null), what.agent, what)} cancelled “${what.summary}”. Nothing ran.`,
        ),
      ),
    [tell],
  );
  return { told, tell };
}
