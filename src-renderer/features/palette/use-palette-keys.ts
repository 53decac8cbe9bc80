import { useEffect, useRef } from 'react';

const TEXT = 'input:not([type="checkbox"]):not([type="radio"]), textarea, select, [contenteditable], .xterm';

type OpenOverlay = 'palette' | 'shortcuts';

/** The keys that mean the same everywhere. Where a dialog asks something, it is answered first. */
export function usePaletteKeys(show: (what: OpenOverlay) => void): void {
  const latest = useRef(show);
  useEffect(() => {
    latest.current = show;
  });
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.defaultPrevented || event.isComposing || event.altKey) return;
      const key = event.key.toLowerCase();
      const control = event.ctrlKey || event.metaKey;
      if (control && !event.shiftKey && key === 'f') {
        const search = focusSearch();
        search?.focus();
        search?.select();
        if (search !== null) event.preventDefault();
        return;
      }
      const wanted = control
        ? ({ k: 'palette', '/': 'shortcuts' } as const)[key]
        : key === '?' && !isText(event.target)
          ? 'shortcuts'
          : undefined;
      if (wanted === undefined || document.querySelector('.gh-backdrop:not([data-ending-style])') !== null) return;
      event.preventDefault();
      latest.current(wanted);
    };
    window.addEventListener('keydown', onKey);
    return () => window.removeEventListener('keydown', onKey);
  }, []);
}

const isText = (target: EventTarget | null): boolean => target instanceof Element && target.closest(TEXT) !== null;

/** The search of what the person is in, else of the page; null where there is none. */
function focusSearch(): HTMLInputElement | null {
  const seen = [...document.querySelectorAll<HTMLInputElement>('input[type="search"]')].filter(
    (each) => each.getClientRects().length > 0,
  );
  const around = document.activeElement?.closest('[role="region"], section, article, [role="dialog"]');
  return seen.find((each) => around?.contains(each) === true) ?? seen[0] ?? null;
}
