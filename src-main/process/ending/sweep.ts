import { setTimeout } from 'node:timers/promises';
import { askToEnd, endSupervisor, findCallProcesses, isGone, killAll, type ProcessesOfCall } from './call-processes.js';
import { pauseAfterLook } from './proc-table.js';

/** How long processes that can't be ended are tried for. */
const SWEEP_MS = 2000;

/** Ends what is left after the command: background children, and whoever left its group. True when nothing is. */
export async function sweepProcesses(call: ProcessesOfCall, graceMs: number): Promise<boolean> {
  if (findCallProcesses(call).command.length === 0) {
    endSupervisor(call);
    if (isGone(call)) return true;
  } else if (graceMs > 0) {
    askToEnd(call);
    let rest = POLL_MS;
    for (const until = performance.now() + graceMs; performance.now() < until;) {
      await delay(rest);
      const began = performance.now();
      if (findCallProcesses(call).command.length === 0) break;
      rest = Math.max(POLL_MS, pauseAfterLook(began));
    }
  }
  const until = performance.now() + SWEEP_MS;
  // By the clock alone, a machine that stood still would be taken for a process that will not end.
  for (let tries = 1; ; tries += 1) {
    killAll(call);
    await delay(POLL_MS);
    if (isGone(call)) return true;
    if (tries >= LEAST_TRIES && performance.now() > until) return false;
  }
}

const POLL_MS = 10;
const LEAST_TRIES = 20;
const delay = (ms: number): Promise<false> => setTimeout(ms, false);
