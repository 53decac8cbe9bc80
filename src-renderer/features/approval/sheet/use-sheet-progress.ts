import { useCallback, useEffect, useRef, useState } from 'react';
import type { ApprovalRequest } from '#contract/window/approvals.js';
import {
  markAnswered,
  type SheetProgressByName,
  changeSheet,
  followSheets,
  hasReason,
  nameSheet,
  listUnsentReasons,
} from './sheet-progress.js';
import type { SheetState } from './sheet-state.js';

export interface SheetProgressHandle {
  readonly sheets: SheetProgressByName;
  readonly change: (name: string, next: (before: SheetState) => SheetState) => void;
  /** An answer to it was sent. */
  readonly answer: (name: string) => void;
  /**
   * Reports that an answer could not be given: to a sheet that waits, or to one that went meanwhile with what was
   * written for it.
   */
  readonly fail: (
    of: { readonly name: string; readonly state: SheetState; readonly callIds: readonly string[] },
    why: string,
  ) => void;
  /** The next change of this call is the person's own. */
  readonly willEdit: (callId: string) => void;
}

interface ProgressListeners {
  /** Calls went, and a reason with them that was begun. */
  readonly onUnsent: (callIds: readonly string[]) => void;
  /** A decision came to nothing, and its sheet is gone. */
  readonly onGone: (why: string) => void;
}

/**
 * Keeps the progress on each sheet for as long as it waits: a look at another one forgets nothing, and brings nothing
 * there.
 */
export function useSheetProgress(
  waiting: readonly ApprovalRequest[],
  shown: ApprovalRequest | null,
  told: ProgressListeners,
): SheetProgressHandle {
  const [sheets, setSheets] = useState<SheetProgressByName>(() => new Map());
  const [ownEdit, setOwnEdit] = useState<string | null>(null);

  // Followed while rendering, so that no frame shows one version with the decisions of another.
  const now = followSheets(sheets, waiting, shown, ownEdit);
  if (now !== sheets) {
    setSheets(now);
    if (shown !== null && sheets.get(nameSheet(shown))?.seen.digest !== shown.digest) setOwnEdit(null);
  }

  const before = useRef(now);
  const latest = useRef(told);
  useEffect(() => {
    latest.current = told;
  });
  useEffect(() => {
    const unsent = listUnsentReasons(before.current, now);
    before.current = now;
    if (unsent.length > 0) latest.current.onUnsent(unsent);
  }, [now]);

  return {
    sheets: now,
    change: useCallback((name, next) => setSheets((all) => changeSheet(all, name, next)), []),
    answer: useCallback((name) => setSheets((all) => markAnswered(all, name, true)), []),
    fail: useCallback(({ name, state, callIds }, why) => {
      if (before.current.has(name)) setSheets((all) => markAnswered(all, name, false));
      else if (hasReason(state)) latest.current.onUnsent(callIds);
      else latest.current.onGone(why);
    }, []),
    willEdit: setOwnEdit,
  };
}
