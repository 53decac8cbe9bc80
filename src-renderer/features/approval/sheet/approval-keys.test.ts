import { expect, it } from 'vitest';
import { actionFor, type SheetKey } from './approval-keys.js';

const key = (pressed: string, more: Partial<SheetKey> = {}): SheetKey => ({
  key: pressed,
  ctrlKey: false,
  metaKey: false,
  shiftKey: false,
  altKey: false,
  repeat: false,
  ...more,
});

it('moves, marks, edits and denies from the list', () => {
  const meant = ['ArrowDown', 'ArrowUp', 'Home', 'End', ' ', 'e', 'E', 'd', 'D', 'x'].map((k) =>
    actionFor(key(k), 'list'),
  );
  expect(meant).toEqual(['next', 'previous', 'first', 'last', 'toggle', 'edit', 'edit', 'deny-one', 'deny-one', null]);
});

it('leaves keys to text fields and buttons', () => {
  for (const where of ['text', 'other'] as const) {
    for (const k of [' ', 'e', 'd', 'ArrowDown', 'Enter']) expect(actionFor(key(k), where)).toBeNull();
  }
});

it('approves only by a chord, pressed once', () => {
  for (const where of ['list', 'text', 'other'] as const) {
    expect(actionFor(key('Enter'), where)).toBeNull();
    expect(actionFor(key('Enter', { shiftKey: true }), where)).toBeNull();
    expect(actionFor(key('Enter', { ctrlKey: true }), where)).toBe('approve-selected');
    expect(actionFor(key('Enter', { metaKey: true, shiftKey: true }), where)).toBe('approve-all');
    expect(actionFor(key('Enter', { ctrlKey: true, repeat: true }), where)).toBeNull();
    expect(actionFor(key('Enter', { ctrlKey: true, altKey: true }), where)).toBeNull();
  }
});

it('never approves by Escape', () => {
  for (const more of [{}, { shiftKey: true }, { ctrlKey: true }, { metaKey: true }]) {
    expect([null, 'dismiss']).toContain(actionFor(key('Escape', more), 'list'));
  }
});
