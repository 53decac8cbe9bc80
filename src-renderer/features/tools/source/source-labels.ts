import type { SourceStage } from '#contract/vocabulary/tools/sources.js';
import type { SourceToolState, SourceView } from '#contract/window/tools/sources.js';
import { counted } from '../../../ui/text/format.js';

export const TOOL_STATE_LABELS: Readonly<Record<SourceToolState, string>> = {
  accepted: 'Accepted',
  new: 'New',
  changed: 'Changed',
  refused: 'Refused',
};

/** The look of a source's mark; `off` is the person's own choice. */
export type SourceLook = SourceView['state'] | SourceStage | 'off' | 'new';

export function chooseLook({ enabled, state, stage, counts }: SourceView): SourceLook {
  // Whether it is on can’t be known of one whose settings are not taken.
  if (state === 'refused') return 'refused';
  if (!enabled) return 'off';
  if (stage !== null) return stage;
  return state === 'changed' && counts.changed === 0 && (counts.waiting > 0 || counts.tools === 0) ? 'new' : state;
}

export const LOOK_LABELS: Readonly<Record<SourceLook, string>> = {
  running: 'Running',
  fetching: 'Fetching…',
  starting: 'Starting…',
  listing: 'Asking for its tools…',
  stopped: 'Stopped',
  changed: 'Changed',
  new: 'New: review it',
  refused: 'Refused',
  failed: 'Failed',
  off: 'Off',
};

/** “12 tools · 2 new · 1 refused · 5 calls today, 1 failed” */
export function describeCounts({ counts, callsToday, failuresToday }: SourceView): string {
  const { tools, waiting, changed, refused } = counts;
  const calls = `${counted(callsToday, 'call')} today`;
  return [
    counted(tools, 'tool'),
    ...(waiting === 0 ? [] : [`${waiting} new`]),
    ...(changed === 0 ? [] : [`${changed} changed`]),
    ...(refused === 0 ? [] : [`${refused} refused`]),
    failuresToday === 0 ? calls : `${calls}, ${failuresToday} failed`,
  ].join(' · ');
}

/** How far what it does is from here: told with each source. */
export function describePlace({ settings, sendsTo, confinement }: SourceView): string {
  if (sendsTo.length > 0) return 'Runs elsewhere; what it does can’t be undone';
  const network = settings?.network ?? [];
  const reach =
    network.length === 0 ? 'no network' : network.includes('*') ? 'any host' : `may reach ${network.join(', ')}`;
  const files = { none: 'no access to the folder', read: 'reads the folder', write: 'changes the folder' };
  const held = [reach, files[settings?.filesystem ?? 'none']].join(', ');
  if (confinement === 'unconfined') return 'On this computer, not sandboxed: it can do what you can';
  return confinement === null ? `On this computer: ${held}` : `Sandboxed on this computer: ${held}`;
}

/** Something of it waits for the person’s eye. */
export const needsReview = ({ enabled, counts, state }: SourceView): boolean =>
  enabled && (counts.waiting > 0 || counts.changed > 0 || state === 'changed');
