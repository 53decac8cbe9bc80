import { PRIORITIES } from '../../domain/call/call-options.js';
import type { CallSummary } from '#contract/vocabulary/calls.js';
import type { Nature } from '#contract/vocabulary/nature.js';
import type { OpenBatch, UnsettledCall } from '../../domain/ports/journal.js';

const LOST =
  'Gatehouse stopped while this call waited. It did not run, and can’t be asked about again: its arguments held what looks ' +
  'like a secret, and without a key store of the system that is not kept. Ask again.';

const NEVER_LET_IN = 'Gatehouse stopped while this call waited for its folder to be opened. It did not run. Ask again.';

export const unsettledCalls = (batch: OpenBatch): readonly UnsettledCall[] =>
  batch.calls.flatMap((each) => (each.settled ? [] : [each.call]));

/** The rank of the batch’s most urgent call; the lower goes first. */
export const urgencyOf = (batch: OpenBatch): number =>
  Math.min(...unsettledCalls(batch).map(({ wanted }) => PRIORITIES.indexOf(wanted?.priority ?? 'normal')));

/**
 * Whether the call outlives a restart and had not begun: it waited for a place, a hook judged it, or it waited for the
 * person to decide about unfinished work. Where its arguments were lost it can't be asked for again.
 */
export const isQueuedStill = ({ wanted, summary, lost }: UnsettledCall): boolean =>
  wanted?.detached === true && !lost && summary.awaiting === null && summary.state !== 'EXECUTING';

/**
 * Why a waiting call can't be asked about again; null where it can. Its arguments held a secret that could not be kept,
 * or it waited for a folder that was not open: who asked from there is gone, and asks anew.
 */
export function whyLost({ asker }: OpenBatch, call: UnsettledCall): string | null {
  if (call.lost && !inProgress(call)) return LOST;
  const wasPlanned = call.summary.state !== 'DECLARED' || call.wanted?.detached === true;
  return asker.door === 'mcp' && !wasPlanned ? NEVER_LET_IN : null;
}

/** The stage at which a resumed call goes on. */
export function resumeStage({ summary: { awaiting, state }, yes }: UnsettledCall) {
  if (awaiting !== null) return { awaiting };
  if (state === 'AUTHORIZED') return { awaiting: 'place', yes } as const;
  return { awaiting: 'planning', onRecord: state === 'DECLARED' ? 'received' : 'validated' } as const;
}

/** Whether the call was on its way, not merely waiting for the person. */
export const inProgress = (call: UnsettledCall): boolean => call.summary.awaiting === null;

/**
 * When the app was last known to run. The recorded mark may be seconds old: whatever was recorded after it was recorded
 * by an app that ran.
 */
export const lastKnownRunning = (marked: number | null, batches: readonly OpenBatch[]): number | null =>
  marked === null
    ? null
    : Math.max(
        marked,
        ...batches.flatMap(unsettledCalls).map(({ summary }) => summary.executingSince ?? summary.startedAt),
      );

/** The nature as it was recorded; where no tool has that name any more, the worst. */
export const natureOf = ({ nature }: CallSummary): Nature => nature ?? 'command';
