import { expect, it } from 'vitest';
import { findAction, type SheetKey } from './approval-keys.js';

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
    findAction(key(k), 'list'),
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
  for (const k of [' ', 'ArrowDown', 'Enter']) expect(findAction(key(k), 'other')).toBeNull();
  for (const where of ['text', 'reason'] as const)
    for (const k of [' ', 'a', 'e', 'd', 'ArrowDown']) expect(findAction(key(k), where)).toBeNull();
  expect(findAction(key('Enter'), 'text')).toBeNull();
});

it('approves only by a chord, pressed once', () => {
  for (const where of ['list', 'other'] as const) {
    expect(findAction(key('Enter'), where)).toBeNull();
    expect(findAction(key('Enter', { shiftKey: true }), where)).toBeNull();
    expect(findAction(key('Enter', { ctrlKey: true }), where)).toBe('approve');
    expect(findAction(key('Enter', { metaKey: true }), where)).toBe('approve');
    expect(findAction(key('Enter', { ctrlKey: true, shiftKey: true }), where)).toBeNull();
    expect(findAction(key('Enter', { ctrlKey: true, repeat: true }), where)).toBeNull();
    expect(findAction(key('Enter', { ctrlKey: true, altKey: true }), where)).toBeNull();
  }
});

it('never approves where something is written: in Reason, Enter denies with it, with Ctrl too', () => {
  for (const more of [{}, { ctrlKey: true }, { metaKey: true }]) {
    expect(findAction(key('Enter', more), 'reason')).toBe('deny-with-reason');
    expect(findAction(key('Enter', { ...more, repeat: true }), 'reason')).toBeNull();
    expect(findAction(key('Enter', more), 'text')).toBeNull();
  }
});

it('never approves by Escape', () => {
  for (const more of [{}, { shiftKey: true }, { ctrlKey: true }, { metaKey: true }]) {
    expect([null, 'dismiss']).toContain(findAction(key('Escape', more), 'list'));
  }
});
