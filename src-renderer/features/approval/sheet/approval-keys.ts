/** What a key means on the sheet. Nothing here approves by a key that people press without looking. */
export type SheetAction =
  | 'next'
  | 'previous'
  | 'first'
  | 'last'
  | 'toggle'
  | 'edit'
  | 'deny-one'
  | 'approve-selected'
  | 'approve-all'
  | 'dismiss';

export interface SheetKey {
  readonly key: string;
  readonly ctrlKey: boolean;
  readonly metaKey: boolean;
  readonly shiftKey: boolean;
  readonly altKey: boolean;
  readonly repeat: boolean;
}

/** Typing that goes on when the sheet appears must not decide anything. */
export const ARMING_MS = 300;

/** `where`: the list has keys of its own; elsewhere only the chords work, so that text fields and buttons stay usable. */
export function actionFor(event: SheetKey, where: 'list' | 'text' | 'other'): SheetAction | null {
  if (event.altKey) return null;
  if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) {
    // A held chord must not approve the next sheet too.
    if (event.repeat) return null;
    return event.shiftKey ? 'approve-all' : 'approve-selected';
  }
  if (event.ctrlKey || event.metaKey) return null;
  if (event.key === 'Escape') return 'dismiss';
  if (where !== 'list') return null;
  switch (event.key) {
    case 'ArrowDown':
      return 'next';
    case 'ArrowUp':
      return 'previous';
    case 'Home':
      return 'first';
    case 'End':
      return 'last';
    case ' ':
      return event.repeat ? null : 'toggle';
    case 'e':
    case 'E':
      return event.repeat ? null : 'edit';
    case 'd':
    case 'D':
      return event.repeat ? null : 'deny-one';
    default:
      return null;
  }
}
