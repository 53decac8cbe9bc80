import { type RefObject, useEffect, useRef } from 'react';
import { actionFor, type KeyPlace, type SheetAction, WAITS } from './approval-keys.js';

export interface SheetKeys {
  /** What stands on the sheet may be answered by a key; false for a moment after it changed. */
  readonly counts: boolean;
  /** While something is edited, what would be approved is not what stands on the screen: only Escape means something. */
  readonly isEditing: boolean;
  /** Gives whether it did anything. */
  readonly onAction: (action: SheetAction) => boolean;
}

/** The keys of a sheet, for as long as the focus is on it. */
export function useSheetKeys(sheet: RefObject<HTMLElement | null>, keys: SheetKeys): void {
  const latest = useRef(keys);
  useEffect(() => {
    latest.current = keys;
  });
  useEffect(() => {
    const element = sheet.current;
    const onKey = (event: KeyboardEvent) => {
      if (event.isComposing || event.defaultPrevented) return;
      const { counts, isEditing, onAction } = latest.current;
      const action = actionFor(event, placeOf(event.target));
      if (action === null || (isEditing && action !== 'dismiss')) return;
      // What is meant for something else that went when this came does nothing, and nothing else either.
      const waits = WAITS.has(action) && !counts;
      if (!waits && !onAction(action)) return;
      event.preventDefault();
      event.stopPropagation();
    };
    element?.addEventListener('keydown', onKey);
    return () => element?.removeEventListener('keydown', onKey);
  }, [sheet]);
}

function placeOf(target: EventTarget | null): KeyPlace {
  if (!(target instanceof HTMLElement)) return 'other';
  if (target.closest('input:not([type="checkbox"]):not([type="radio"]), textarea, [contenteditable]') !== null)
    return target.closest('[data-approval-reason]') === null ? 'text' : 'reason';
  return target.dataset['approvalList'] === undefined ? 'other' : 'list';
}
