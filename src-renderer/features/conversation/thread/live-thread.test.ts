import { expect, it, vi } from 'vitest';
import type { ConversationMessage } from '#contract/vocabulary/conversation/conversation.js';
import type { MessagePage, MessagePiece } from '#contract/window/conversation/conversation.js';
import { createLiveThread } from './live-thread.js';

const message = (id: string, text: string, more: Partial<ConversationMessage> = {}): ConversationMessage => ({
  id,
  conversationId: 'c',
  role: 'assistant',
  at: 1,
  blocks: text === '' ? [] : [{ kind: 'text', text }],
  state: 'streaming',
  failure: null,
  foot: null,
  branch: { at: 1, of: 1, previous: null, next: null },
  ...more,
});
const piece = (messageId: string, at: number, text: string): MessagePiece => ({
  conversationId: 'c',
  messageId,
  block: 0,
  kind: 'text',
  at,
  text,
});

function setUp() {
  const answers: ((page: MessagePage) => void)[] = [];
  const frames: (() => void)[] = [];
  const read = vi.fn(
    (_limit: number, _before: string | null) =>
      new Promise<{ ok: true; value: MessagePage }>((resolve) => answers.push((value) => resolve({ ok: true, value }))),
  );
  const live = createLiveThread({ read, beforeNextFrame: (work) => frames.push(work) });
  return {
    live,
    read,
    frame: () => frames.splice(0).forEach((work) => work()),
    answer: async (...messages: readonly ConversationMessage[]) => {
      answers.shift()?.({ messages, more: true });
      await vi.waitFor(() => expect(live.store.getState().readingOlder).toBe(false));
    },
    texts: () =>
      live.store
        .getState()
        .thread?.messages.map(
          ({ id, blocks }) => `${id}:${blocks.map((each) => ('text' in each ? each.text : '')).join()}`,
        ),
  };
}

it('what comes within a frame is drawn at once, whatever number it has', async () => {
  const { live, frame, answer, texts } = setUp();
  void live.reload();
  await answer(message('m', ''));
  const told = vi.fn();
  live.store.subscribe(told);
  for (let at = 0; at < 100; at += 1) live.onPiece(piece('m', at, 'x'));
  expect(told).not.toHaveBeenCalled();
  frame();
  expect(told).toHaveBeenCalledTimes(1);
  expect(texts()).toEqual([`m:${'x'.repeat(100)}`]);
});

it('what comes while it is read is put on what is read, and nothing is doubled', async () => {
  const { live, frame, answer, texts } = setUp();
  void live.reload();
  live.onPiece(piece('m', 0, 'Hello '));
  live.onPiece(piece('m', 6, 'you'));
  live.onMessage(message('n', 'next'));
  frame();
  expect(texts()).toBeUndefined();
  await answer(message('m', 'Hello '));
  expect(texts()).toEqual(['m:Hello you', 'n:next']);
});

it('a gap makes it read again, once', async () => {
  const { live, read, frame, answer, texts } = setUp();
  void live.reload();
  await answer(message('m', 'He'));
  live.onPiece(piece('m', 4, 'o'));
  frame();
  expect(read).toHaveBeenCalledTimes(2);
  await answer(message('m', 'He'));
  live.onPiece(piece('m', 5, '!'));
  frame();
  expect(read).toHaveBeenCalledTimes(2);
  live.onMessage(message('m', 'Hello!', { state: 'whole' }));
  frame();
  expect(texts()).toEqual(['m:Hello!']);
});

it('a window without frames does not gather without end', async () => {
  const { live, answer, texts } = setUp();
  void live.reload();
  await answer(message('m', ''));
  for (let at = 0; at < 2001; at += 1) live.onPiece(piece('m', at, 'x'));
  expect(texts()?.[0]?.length).toBe(2003);
});

it('older ones are read once, and not put before another branch', async () => {
  const { live, read, answer, texts } = setUp();
  void live.reload();
  await answer(message('m', 'one'));
  void live.readOlder();
  void live.readOlder();
  expect(read).toHaveBeenCalledTimes(2);
  expect(read).toHaveBeenLastCalledWith(60, 'm');
  void live.reload();
  const [older, other] = [message('k', 'older'), message('o', 'other branch')];
  // The second was asked later and is answered first.
  await answer(older);
  expect(texts()).toEqual(['k:older', 'm:one']);
  await answer(other);
  expect(texts()).toEqual(['o:other branch']);
});
