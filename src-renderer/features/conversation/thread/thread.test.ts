import { describe, expect, it } from 'vitest';
import type { ConversationMessage } from '#contract/vocabulary/conversation/conversation.js';
import type { MessagePiece } from '#contract/window/conversation/conversation.js';
import { createThread, prependOlder, type Thread, applyMessage, applyPiece } from './thread.js';

const message = (id: string, more: Partial<ConversationMessage> = {}): ConversationMessage => ({
  id,
  conversationId: 'c',
  role: 'assistant',
  at: 1,
  blocks: [],
  state: 'whole',
  failure: null,
  foot: null,
  branch: { at: 1, of: 1, previous: null, next: null },
  ...more,
});
const piece = (more: Partial<MessagePiece>): MessagePiece => ({
  conversationId: 'c',
  messageId: 'm',
  block: 0,
  kind: 'text',
  at: 0,
  text: '',
  ...more,
});
const thread = (...messages: readonly ConversationMessage[]): Thread => createThread({ messages, more: false });
const ids = (of: Thread | null) => of?.messages.map(({ id }) => id);
const textOf = (of: Thread | null) => of?.messages.at(-1)?.blocks;

describe('messages', () => {
  it('come at the end, or change where they are', () => {
    const two = applyMessage(thread(message('a')), message('b'));
    expect(ids(two)).toEqual(['a', 'b']);
    const changed = applyMessage(two, message('a', { state: 'stopped' }));
    expect(ids(changed)).toEqual(['a', 'b']);
    expect(changed.messages[0]?.state).toBe('stopped');
    expect(changed.messages[1]).toBe(two.messages[1]);
  });

  it('that stand beside another take its place and that of what came after', () => {
    const edited = message('b2', { branch: { at: 2, of: 2, previous: 'b', next: null } });
    expect(ids(applyMessage(thread(message('a'), message('b'), message('c')), edited))).toEqual(['a', 'b2']);
    const first = message('a2', { branch: { at: 2, of: 2, previous: 'a', next: null } });
    expect(ids(applyMessage(thread(message('a'), message('b')), first))).toEqual(['a2']);
  });

  it('older ones stand before those that are known, each once', () => {
    const page = { messages: [message('x'), message('a')], more: true };
    const all = prependOlder(thread(message('a'), message('b')), page);
    expect(ids(all)).toEqual(['x', 'a', 'b']);
    expect(all.more).toBe(true);
  });
});

describe('pieces', () => {
  const begun = thread(message('m', { state: 'streaming' }));

  it('go on where the text ends; told twice, nothing is doubled', () => {
    let now: Thread | null = applyPiece(begun, piece({ text: 'Hel' }));
    now = applyPiece(now ?? begun, piece({ at: 3, text: 'lo' }));
    now = applyPiece(now ?? begun, piece({ at: 0, text: 'Hello wor' }));
    expect(textOf(now)).toEqual([{ kind: 'text', text: 'Hello wor' }]);
    expect(applyPiece(now ?? begun, piece({ at: 2, text: 'llo' }))).toBe(now);
  });

  it('begin a block of their own', () => {
    const thought = applyPiece(begun, piece({ kind: 'reasoning', text: 'Hm' })) ?? begun;
    expect(textOf(applyPiece(thought, piece({ block: 1, text: 'So' })))).toEqual([
      { kind: 'reasoning', text: 'Hm' },
      { kind: 'text', text: 'So' },
    ]);
  });

  it('a call begins one, once', () => {
    const called = applyPiece(begun, piece({ kind: 'call', text: 'read_file' })) ?? begun;
    expect(textOf(called)).toEqual([{ kind: 'call', callId: null, tool: 'read_file', folded: false }]);
    expect(applyPiece(called, piece({ kind: 'call', text: 'read_file' }))).toBe(called);
    expect(applyPiece(called, piece({ text: 'read_file' }))).toBeNull();
    expect(applyPiece(applyPiece(begun, piece({ text: 'x' })) ?? begun, piece({ kind: 'call', text: 'x' }))).toBeNull();
  });

  it('that have a gap before them, or belong to nothing that is known, make it read again', () => {
    expect(applyPiece(begun, piece({ at: 4, text: 'x' }))).toBeNull();
    expect(applyPiece(begun, piece({ block: 2, text: 'x' }))).toBeNull();
    expect(applyPiece(begun, piece({ messageId: 'other', text: 'x' }))).toBeNull();
    const call = thread(message('m', { blocks: [{ kind: 'call', callId: null, tool: 't', folded: false }] }));
    expect(applyPiece(call, piece({ text: 'x' }))).toBeNull();
  });
});
