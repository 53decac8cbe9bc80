/** The meanings of keys on the sheet. Nothing here approves by a key that people press without looking. */
export type SheetAction =
  | 'next'
  | 'previous'
  | 'first'
  | 'last'
  | 'toggle'
  | 'edit'
  | 'reason'
  | 'deny-with-reason'
  | 'approve'
  | 'make-rule'
  | 'dismiss';

export interface SheetKey {
  readonly key: string;
  readonly ctrlKey: boolean;
  readonly metaKey: boolean;
  readonly shiftKey: boolean;
  readonly altKey: boolean;
  readonly repeat: boolean;
}

/** Where it was pressed: in the list of calls, in Reason, in another field, or elsewhere on the sheet. */
export type KeyTarget = 'list' | 'reason' | 'text' | 'other';

/** Keys that choose, edit or make a rule: typing that goes on when a sheet appears must not do any of it. */
export const DELAYED_ACTIONS: ReadonlySet<SheetAction> = new Set(['toggle', 'edit', 'reason', 'make-rule']);

export function findAction(event: SheetKey, where: KeyTarget): SheetAction | null {
  if (event.altKey) return null;
  const chord = event.ctrlKey || event.metaKey;
  if (event.key === 'Enter') {
    // A held key must not answer the next sheet too.
    if (event.repeat || event.shiftKey) return null;
    // A reason why not means no.
    if (where === 'reason') return 'deny-with-reason';
    return chord && where !== 'text' ? 'approve' : null;
  }
  if (chord) return null;
  if (event.key === 'Escape') return 'dismiss';
  if (where === 'text' || where === 'reason') return null;
  return (where === 'list' ? findListAction(event) : null) ?? findGlobalAction(event);
}

function findListAction({ key, repeat }: SheetKey): SheetAction | null {
  switch (key) {
    case 'ArrowDown':
      return 'next';
    case 'ArrowUp':
      return 'previous';
    case 'Home':
      return 'first';
    case 'End':
      return 'last';
    case ' ':
      return repeat ? null : 'toggle';
    default:
      return null;
  }
}

function findGlobalAction({ key, repeat }: SheetKey): SheetAction | null {
  if (repeat) return null;
  switch (key.toLowerCase()) {
    case 'e':
      return 'edit';
    case 'd':
      return 'reason';
    case 'a':
      return 'make-rule';
    default:
      return null;
  }
}
