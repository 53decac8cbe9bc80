import { useCallback, useEffect, useRef, useState } from 'react';
import { describeAsker } from '#contract/vocabulary/call-labels.js';
import { live } from '../../../store/app.js';

/** The time for which a line is shown that nobody has to answer. */
const LINE_LASTS_MS = 10_000;

interface NoticeLine {
  readonly id: number;
  readonly text: string;
  /** The sheet that it links to; null where it links to none. */
  readonly sheet: string | null;
}

interface NoticeLineOptions {
  readonly sheet?: string;
  readonly forMs?: number;
}

/** So many calls that were taken back are remembered. */
const REMEMBERED = 100;

let lines = 0;

/** Keeps the lines beside the sheet: calls that were taken back, and who asks while somebody is busy elsewhere. */
export function useNoticeLines(): {
  readonly told: readonly NoticeLine[];
  readonly tell: (text: string, more?: NoticeLineOptions) => void;
  /** Whether some of these calls were taken back lately by their caller. */
  readonly wasTakenBack: (callIds: readonly string[]) => boolean;
} {
  const [told, setTold] = useState<readonly NoticeLine[]>([]);
  const taken = useRef<readonly string[]>([]);
  const tell = useCallback((text: string, { sheet, forMs = LINE_LASTS_MS }: NoticeLineOptions = {}) => {
    lines += 1;
    const line = { id: lines, text, sheet: sheet ?? null };
    setTold((all) => [...all, line].slice(-4));
    window.setTimeout(() => setTold((all) => all.filter((each) => each !== line)), forMs);
  }, []);
  useEffect(
    () =>
      live.on('taken-back', ({ what }) => {
        taken.current = [...taken.current, what.callId].slice(-REMEMBERED);
        tell(
          `${describeAsker(what.door, what.conversation ?? (what.agent === null ? what.client : null), what.agent, what)} cancelled “${what.summary}”. Nothing ran.`,
        );
      }),
    [tell],
  );
  const wasTakenBack = useCallback(
    (callIds: readonly string[]) => callIds.some((id) => taken.current.includes(id)),
    [],
  );
  return { told, tell, wasTakenBack };
}
