import { allProcesses, hasMark, isAlive, processFacts } from './proc-table.js';
import { isGone, killAll } from './ending.js';

/** A process that the journal knows from before the app stopped. */
export interface KnownProcess {
  readonly pid: number;
  readonly startTicks: string;
  readonly mark: string;
}

export type Reaped = 'gone' | 'ended' | 'alive';

/** At start: ends what a crash left behind. `alive` means that it could not be ended. */
export async function reap(known: KnownProcess, patienceMs = 2000): Promise<Reaped> {
  // The pid may be somebody else's by now; the start time says whether it is.
  const isSame = processFacts(known.pid)?.startTicks === known.startTicks;
  const call = { leader: isSame ? known.pid : NOBODY, mark: known.mark, confined: false };
  const wasThere = isSame || allProcesses().some((facts) => isAlive(facts) && hasMark(facts.pid, known.mark));
  if (!wasThere) return 'gone';
  for (const deadline = performance.now() + patienceMs; ;) {
    killAll(call);
    if (isGone(call)) return 'ended';
    if (performance.now() > deadline) return 'alive';
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

/** No process has it, and as a group or session it matches none. */
const NOBODY = 2 ** 30;
