import type { AppSnapshot } from '#contract/window/app-events.js';
import { DOOR_WORDS, describeOnBehalfOf } from '#contract/vocabulary/call-labels.js';
import type { CallSummary } from '#contract/vocabulary/calls.js';
import { buildPauseKey } from '#contract/vocabulary/activity/pause-key.js';
import { toVisibleLine } from '#contract/vocabulary/text/visible-text.js';

/** So many lines of each kind, and so much of each: a menu is read at a glance. */
const LINES = 8;
const LONGEST = 80;

export interface TrayList {
  /** The text for a pointer that rests on it. */
  readonly tip: string;
  readonly waiting: readonly string[];
  readonly running: readonly string[];
}

/**
 * Builds what the tray shows from what the person would see in the window: the calls that wait for them, and those that
 * run.
 */
export function trayList({ calls, status }: Pick<AppSnapshot, 'calls' | 'status'>): TrayList {
  const isPaused = (call: CallSummary): boolean => status.paused.includes(buildPauseKey(call) ?? '');
  const waiting = calls.filter((call) => call.awaiting !== null && !isPaused(call));
  const running = calls.filter(({ display }) => display === 'executing');
  const tip = waiting.length === 0 ? 'Gatehouse' : `Gatehouse: ${waiting.length} waiting for you`;
  return { tip, waiting: lines(waiting), running: lines(running) };
}

function lines(calls: readonly CallSummary[]): readonly string[] {
  const shown = calls.slice(0, LINES).map((call) => {
    const who = call.agent ?? call.client ?? DOOR_WORDS[call.door];
    const whom = describeOnBehalfOf(call);
    const line = toVisibleLine(`${whom === '' ? who : `${who}, ${whom}`}: ${call.summary}`);
    return line.length <= LONGEST ? line : `${line.slice(0, LONGEST - 1)}…`;
  });
  return calls.length <= LINES ? shown : [...shown, `and ${calls.length - LINES} more`];
}
