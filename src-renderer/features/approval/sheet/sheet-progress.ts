import type { ApprovalRequest } from '#contract/window/approvals.js';
import { openSheet, refreshSheet, type SheetState } from './sheet-state.js';

interface SheetProgress {
  readonly state: SheetState;
  readonly seen: ApprovalRequest;
  /** An answer to it is on its way: what was written is in that. */
  readonly isAnswered: boolean;
}

/** The person's progress on each sheet that waits: they may look at another one meanwhile. */
export type SheetProgressByName = ReadonlyMap<string, SheetProgress>;

/** The next sheet of the same asker is another one. */
export const nameSheet = ({ batchId, drawing }: ApprovalRequest): string => `${batchId} ${drawing}`;

/**
 * Updates the begun sheets: those that wait no more are forgotten; the one that is shown is kept in step with main's
 * version of it.
 */
export function followSheets(
  begun: SheetProgressByName,
  waiting: readonly ApprovalRequest[],
  shown: ApprovalRequest | null,
  ownEdit: string | null,
): SheetProgressByName {
  const names = new Set(waiting.map(nameSheet));
  const left = [...begun].filter(([name]) => names.has(name));
  const own = shown === null ? undefined : begun.get(nameSheet(shown));
  if (shown === null || own?.seen === shown) return left.length === begun.size ? begun : new Map(left);
  const state = own === undefined ? openSheet(shown) : refreshSheet(own.state, own.seen, shown, ownEdit);
  const isAnswered = own?.isAnswered === true && own.seen.digest === shown.digest;
  return new Map(left).set(nameSheet(shown), { state, seen: shown, isAnswered });
}

/** Applies a change of the person to one of them. */
export function changeSheet(
  begun: SheetProgressByName,
  name: string,
  change: (state: SheetState) => SheetState,
): SheetProgressByName {
  const own = begun.get(name);
  return own === undefined ? begun : new Map(begun).set(name, { ...own, state: change(own.state) });
}

/** An answer to one of them was sent, or could not be given. */
export function markAnswered(begun: SheetProgressByName, name: string, isAnswered: boolean): SheetProgressByName {
  const own = begun.get(name);
  return own === undefined ? begun : new Map(begun).set(name, { ...own, isAnswered });
}

export const hasReason = ({ reason, reasons }: SheetState): boolean =>
  [reason, ...reasons.values()].some((text) => text.trim() !== '');

/** The calls for which a reason was begun that went with them, unsent. */
export function listUnsentReasons(before: SheetProgressByName, now: SheetProgressByName): readonly string[] {
  return [...before].flatMap(([name, { state, seen, isAnswered }]) => {
    if (isAnswered) return [];
    const after = now.get(name);
    const stays = new Set(after?.seen.calls.map(({ callId }) => callId));
    const gone = seen.calls.map(({ callId }) => callId).filter((callId) => !stays.has(callId));
    // A text for all of them stays while any of them does.
    const all = after === undefined && state.reason.trim() !== '';
    return gone.filter((callId) => all || (state.reasons.get(callId) ?? '').trim() !== '');
  });
}
