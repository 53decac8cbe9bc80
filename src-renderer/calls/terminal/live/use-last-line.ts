import { useEffect, useState } from 'react';
import { findLastLine } from './last-line.js';
import { onOutput, getTail } from './live-tails.js';

/** The interval at which anybody reads a line that changes. */
const READ_MS = 250;

/** The last line of a call's output, read a few times a second while it writes. */
export function useLastLine(callId: string): string {
  const [line, setLine] = useState(() => findLastLine(getTail(callId)?.rows() ?? []));
  useEffect(() => {
    let timer: number | null = null;
    const look = () => {
      timer = null;
      setLine(findLastLine(getTail(callId)?.rows() ?? []));
    };
    look();
    const off = onOutput(callId, () => {
      timer ??= window.setTimeout(look, READ_MS);
    });
    return () => {
      off();
      if (timer !== null) clearTimeout(timer);
    };
  }, [callId]);
  return line;
}
