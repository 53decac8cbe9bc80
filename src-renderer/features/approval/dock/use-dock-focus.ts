import { type RefObject, useCallback, useEffect, useLayoutEffect, useRef } from 'react';

const TEXT = 'input:not([type="checkbox"]):not([type="radio"]), textarea, select, [contenteditable]';
/** Matches elements at which a person is busy: keys that they press next are meant for those. */
const BUSY_SELECTOR = `${TEXT}, form, fieldset, [role="dialog"], [role="alertdialog"], [role="menu"], [role="combobox"], [role="radiogroup"], [role="switch"], [role="checkbox"]`;

export interface DockFocus {
  /** The name of what is shown: with another name, another sheet. */
  readonly shown: string | null;
  readonly whole: RefObject<HTMLElement | null>;
  readonly list: RefObject<HTMLElement | null>;
  /** The element with the notices: whoever was typing has the focus there when their text is gone. */
  readonly said: RefObject<HTMLElement | null>;
  /** Something lies above it, and has the focus. */
  readonly covered: boolean;
  /** A sheet came, and the focus stayed where it was. */
  readonly onLeft: () => void;
}

const isBusy = (element: Element | null): boolean => (element?.closest(BUSY_SELECTOR) ?? null) !== null;

/**
 * Moves the focus when a sheet comes, is replaced, or goes. The focus goes to the list of its calls, never to a button
 * that approves; it stays with somebody who types or is in a form. Who wrote a reason, or an edit, for a sheet that
 * went is led to what is said of that: what they write next is neither said to another nor written elsewhere. Gives
 * what is to be told when a sheet goes that has the focus.
 */
export function useDockFocus({ shown, whole, list, said, covered, onLeft }: DockFocus): (typing: boolean) => void {
  const before = useRef<Element | null>(null);
  /** The part of a gone sheet that had the focus. */
  const left = useRef<'text' | 'other' | null>(null);
  const latest = useRef({ covered, onLeft });
  useLayoutEffect(() => {
    latest.current = { covered, onLeft };
  });
  useLayoutEffect(() => {
    const had = left.current;
    left.current = null;
    const active = document.activeElement;
    if (had === 'text') said.current?.focus();
    if (shown === null) {
      // The sheet is gone, and the focus with it: back to where it came from.
      if (active === null || active === document.body) {
        if (had !== 'text') (before.current as HTMLElement | null)?.focus?.();
      }
      before.current = null;
      return;
    }
    if (had === 'text') latest.current.onLeft();
    else if (had === 'other' || whole.current?.contains(active) === true) list.current?.focus();
    else if (latest.current.covered || isBusy(active)) latest.current.onLeft();
    else {
      before.current = active;
      list.current?.focus();
    }
  }, [shown, whole, list, said]);

  useEffect(() => {
    if (shown === null || covered) return undefined;
    const onKey = (event: KeyboardEvent) => {
      if (event.key.toLowerCase() !== 'j' || !(event.ctrlKey || event.metaKey) || event.altKey || event.shiftKey)
        return;
      event.preventDefault();
      if (whole.current?.contains(document.activeElement) !== true) before.current = document.activeElement;
      list.current?.focus();
    };
    window.addEventListener('keydown', onKey);
    return () => window.removeEventListener('keydown', onKey);
  }, [shown, covered, whole, list]);

  return useCallback((typing) => {
    left.current = typing ? 'text' : 'other';
  }, []);
}
