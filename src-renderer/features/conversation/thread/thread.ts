import type { ConversationMessage, MessageBlock } from '#contract/vocabulary/conversation/conversation.js';
import type { MessagePage, MessagePiece } from '#contract/window/conversation/conversation.js';

/** The messages of the branch that is shown, as many as were read, oldest first. */
export interface Thread {
  readonly messages: readonly ConversationMessage[];
  /** There are older ones. */
  readonly more: boolean;
}

export const createThread = ({ messages, more }: MessagePage): Thread => ({ messages, more });

export function prependOlder(thread: Thread, page: MessagePage): Thread {
  const known = new Set(thread.messages.map(({ id }) => id));
  const before = page.messages.filter(({ id }) => !known.has(id));
  return { messages: [...before, ...thread.messages], more: page.more };
}

/**
 * Applies a message that came or changed. One that is a branch beside another takes its place, and the messages after
 * that go.
 */
export function applyMessage(thread: Thread, message: ConversationMessage): Thread {
  const { messages } = thread;
  const at = messages.findLastIndex(({ id }) => id === message.id);
  if (at !== -1) return { ...thread, messages: messages.with(at, message) };
  const { previous, next } = message.branch;
  const beside = messages.findLastIndex(({ id }) => id === previous || id === next);
  const kept = beside === -1 ? messages : messages.slice(0, beside);
  return { ...thread, messages: [...kept, message] };
}

/** Null where something before it is missing: then it must be read again. */
export function applyPiece(thread: Thread, piece: MessagePiece): Thread | null {
  const at = thread.messages.findLastIndex(({ id }) => id === piece.messageId);
  const message = thread.messages[at];
  if (message === undefined) return null;
  const blocks = appendText(message.blocks, piece);
  if (blocks === null) return null;
  if (blocks === message.blocks) return thread;
  return { ...thread, messages: thread.messages.with(at, { ...message, blocks }) };
}

function appendText(
  blocks: readonly MessageBlock[],
  { block: at, kind, at: from, text }: MessagePiece,
): readonly MessageBlock[] | null {
  const block = blocks[at];
  if (block === undefined) return at === blocks.length && from === 0 ? [...blocks, beginBlock(kind, text)] : null;
  if (kind === 'call') return block.kind === kind ? blocks : null;
  if (block.kind !== kind || from > block.text.length) return null;
  // Told twice: what is known already stays.
  const more = text.slice(block.text.length - from);
  return more === '' ? blocks : blocks.with(at, { kind, text: block.text + more });
}

const beginBlock = (kind: MessagePiece['kind'], text: string): MessageBlock =>
  kind === 'call' ? { kind, callId: null, tool: text, folded: false } : { kind, text };
