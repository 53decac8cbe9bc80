import { type RefObject, useEffect, useRef } from 'react';
import { findAction, type KeyTarget, type SheetAction, DELAYED_ACTIONS } from './approval-keys.js';

export interface SheetKeys {
  /** Whether a key may answer the sheet; false for a moment after it changed. */
  readonly counts: boolean;
  /**
   * Whether something is edited: what would be approved is then not what is on the screen, and only Escape means
   * something.
   */
  readonly isEditing: boolean;
  /** Gives whether it did anything. */
  readonly onAction: (action: SheetAction) => boolean;
}

/** Letters that follow one another sooner are of one text. */
const PAUSE_MS = 500;

/** The keys of a sheet, for as long as the focus is on it. */
export function useSheetKeys(sheet: RefObject<HTMLElement | null>, keys: SheetKeys): void {
  const latest = useRef(keys);
  useEffect(() => {
    latest.current = keys;
  });
  useEffect(() => {
    const element = sheet.current;
    let textUntil = -Infinity;
    const onKey = (event: KeyboardEvent) => {
      if (event.isComposing || event.defaultPrevented) return;
      const { counts, isEditing, onAction } = latest.current;
      const place = findKeyTarget(event.target);
      const action = findAction(event, place);
      // Typing that was under way when this came goes on as long as its letters follow one another.
      const isText = !counts || event.timeStamp < textUntil;
      if (isText && event.key.length === 1 && place !== 'text' && place !== 'reason')
        textUntil = event.timeStamp + PAUSE_MS;
      if (action === null || (isEditing && action !== 'dismiss')) return;
      // A key that was meant for something that went when this came does nothing, and nothing else either.
      const waits = DELAYED_ACTIONS.has(action) && isText;
      if (!waits && !onAction(action)) return;
      event.preventDefault();
      event.stopPropagation();
    };
    element?.addEventListener('keydown', onKey);
    return () => element?.removeEventListener('keydown', onKey);
  }, [sheet]);
}

function findKeyTarget(target: EventTarget | null): KeyTarget {
  if (!(target instanceof HTMLElement)) return 'other';
  if (target.closest('input:not([type="checkbox"]):not([type="radio"]), textarea, [contenteditable]') !== null)
    return target.closest('[data-approval-reason]') === null ? 'text' : 'reason';
  return target.dataset['approvalList'] === undefined ? 'other' : 'list';
}
