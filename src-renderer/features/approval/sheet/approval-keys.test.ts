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

it('moves, marks, edits, goes to Reason and makes a rule from the list', () => {
  const meant = ['ArrowDown', 'ArrowUp', 'Home', 'End', ' ', 'e', 'E', 'd', 'D', 'a', 'x'].map((k) =>
    actionFor(key(k), 'list'),
  );
  expect(meant).toEqual([
    'next',
    'previous',
    'first',
    'last',
    'toggle',
    'edit',
    'edit',
    'reason',
    'reason',
    'make-rule',
    null,
  ]);
});

it('leaves its keys to buttons, and every key to text fields', () => {
  for (const k of [' ', 'ArrowDown', 'Enter']) expect(actionFor(key(k), 'other')).toBeNull();
  for (const where of ['text', 'reason'] as const)
    for (const k of [' ', 'a', 'e', 'd', 'ArrowDown']) expect(actionFor(key(k), where)).toBeNull();
  expect(actionFor(key('Enter'), 'text')).toBeNull();
});

it('approves only by a chord, pressed once', () => {
  for (const where of ['list', 'other'] as const) {
    expect(actionFor(key('Enter'), where)).toBeNull();
    expect(actionFor(key('Enter', { shiftKey: true }), where)).toBeNull();
    expect(actionFor(key('Enter', { ctrlKey: true }), where)).toBe('approve');
    expect(actionFor(key('Enter', { metaKey: true }), where)).toBe('approve');
    expect(actionFor(key('Enter', { ctrlKey: true, shiftKey: true }), where)).toBeNull();
    expect(actionFor(key('Enter', { ctrlKey: true, repeat: true }), where)).toBeNull();
    expect(actionFor(key('Enter', { ctrlKey: true, altKey: true }), where)).toBeNull();
  }
});

it('never approves where something is written: in Reason, Enter denies with it, with Ctrl too', () => {
  for (const more of [{}, { ctrlKey: true }, { metaKey: true }]) {
    expect(actionFor(key('Enter', more), 'reason')).toBe('deny-with-reason');
    expect(actionFor(key('Enter', { ...more, repeat: true }), 'reason')).toBeNull();
    expect(actionFor(key('Enter', more), 'text')).toBeNull();
  }
});

it('never approves by Escape', () => {
  for (const more of [{}, { shiftKey: true }, { ctrlKey: true }, { metaKey: true }]) {
    expect([null, 'dismiss']).toContain(actionFor(key('Escape', more), 'list'));
  }
});
