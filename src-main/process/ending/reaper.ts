import { setTimeout } from 'node:timers/promises';
import { findCommandGroup } from './command-group.js';
import { isGone, killAll, type ProcessesOfCall } from './call-processes.js';
import { processFacts } from './proc-table.js';

/** A process that the journal knows from before the app stopped. */
export interface KnownProcess {
  readonly pid: number;
  readonly startTicks: string;
  readonly mark: string;
}

export type ReapOutcome = 'gone' | 'ended' | 'alive';

/** Ends at start what a crash left behind. `alive` means that it could not be ended. */
export async function reapProcess(known: KnownProcess, patienceMs = 2000): Promise<ReapOutcome> {
  // The pid may be somebody else's by now; the start time says whether it is.
  const isSame = processFacts(known.pid)?.startTicks === known.startTicks;
  using group = findCommandGroup(known.mark);
  const call: ProcessesOfCall = {
    leader: isSame ? known.pid : NO_PID,
    mark: known.mark,
    since: Number(known.startTicks),
    confined: false,
    group,
  };
  if (isGone(call)) return 'gone';
  const deadline = performance.now() + patienceMs;
  for (let tries = 1; ; tries += 1) {
    killAll(call);
    if (isGone(call)) return 'ended';
    // By the clock alone, a machine that stood still would be taken for a process that will not end.
    if (tries >= 20 && performance.now() > deadline) return 'alive';
    await setTimeout(10);
  }
}

/** No process has it, and as a group or session it matches none. */
const NO_PID = 2 ** 30;
