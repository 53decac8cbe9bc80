import { useEffect, useRef } from 'react';
import { actionFor, ARMING_MS, type SheetAction } from './approval-keys.js';

/** While arguments are edited, what would be approved is not what stands on the screen: only Escape means something. */
export type SheetMode = 'deciding' | 'editing' | 'covered';

/**
 * The sheet's keys. `appearance` names what the person is looking at; when it changes, every key is ignored for a
 * moment, so that typing which was meant for something else can't decide anything.
 */
export function useSheetKeys(appearance: string, onAction: (action: SheetAction) => void, mode: SheetMode): void {
  const latest = useRef({ onAction, mode });
  useEffect(() => {
    latest.current = { onAction, mode };
  });

  useEffect(() => {
    const armedAt = performance.now() + ARMING_MS;
    const ignoring = () => performance.now() < armedAt;
    /** Keys that were down already must be let go before they mean anything here. */
    const swallowed = new Set<string>();
    const onKey = (event: KeyboardEvent) => {
      if (ignoring() || (event.repeat && swallowed.has(event.code))) {
        swallowed.add(event.code);
        event.preventDefault();
        event.stopImmediatePropagation();
        return;
      }
      if (event.type !== 'keydown') return;
      swallowed.delete(event.code);
      const now = latest.current;
      const action = now.mode === 'covered' ? null : actionFor(event, placeOf(event.target));
      // Escape closes only the edit that was opened here; a menu that is open closes itself.
      if (action === null || (action === 'dismiss') !== (now.mode === 'editing')) return;
      event.preventDefault();
      event.stopPropagation();
      now.onAction(action);
    };
    window.addEventListener('keydown', onKey, true);
    window.addEventListener('keypress', onKey, true);
    window.addEventListener('keyup', onKey, true);
    return () => {
      window.removeEventListener('keydown', onKey, true);
      window.removeEventListener('keypress', onKey, true);
      window.removeEventListener('keyup', onKey, true);
    };
    // A new appearance arms anew; the effect reads nothing of it.
    // oxlint-disable-next-line react/exhaustive-effect-dependencies
  }, [appearance]);
}

function placeOf(target: EventTarget | null): 'list' | 'text' | 'other' {
  if (!(target instanceof HTMLElement)) return 'other';
  if (target.closest('input:not([type="checkbox"]):not([type="radio"]), textarea, [contenteditable]') !== null)
    return 'text';
  return target.dataset['approvalList'] === undefined ? 'other' : 'list';
}
