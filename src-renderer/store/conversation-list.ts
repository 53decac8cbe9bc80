import type { ConversationSummary } from '#contract/vocabulary/conversation/conversation.js';

/** The conversations that the window knows, by folder: the one that changed last is first. */
export type ConversationsByFolder = Readonly<Record<string, readonly ConversationSummary[]>>;

export function addConversation(all: ConversationsByFolder, now: ConversationSummary): ConversationsByFolder {
  const known = all[now.workspace];
  // A folder that nobody asked about is read whole when somebody does.
  if (known === undefined) return all;
  const next = [now, ...known.filter(({ id }) => id !== now.id)].toSorted(
    (one, other) => other.changedAt - one.changedAt,
  );
  return { ...all, [now.workspace]: next };
}

export const removeConversation = (all: ConversationsByFolder, gone: string): ConversationsByFolder =>
  Object.fromEntries(Object.entries(all).map(([folder, known]) => [folder, known.filter(({ id }) => id !== gone)]));
