import { useEffect } from 'react';
import { useStore } from 'zustand';
import { createStore } from 'zustand/vanilla';
import type { ConversationSummary } from '#contract/vocabulary/conversation/conversation.js';
import type { BridgeError, BridgeResult } from '#contract/window/result.js';
import { ask } from '../bridge/use-request.js';
import { goTo, live, useApp } from './app.js';
import { type ConversationsByFolder, addConversation, removeConversation } from './conversation-list.js';
import type { WorkingConversation } from '#contract/window/conversation/conversation.js';

interface ShownConversations {
  readonly byFolder: ConversationsByFolder;
  readonly error: BridgeError | null;
  /** The conversation that the page shows, by folder; null is a new one that is not begun yet. */
  readonly shown: Readonly<Record<string, string | null>>;
}

const store = createStore<ShownConversations>(() => ({ byFolder: {}, error: null, shown: {} }));
const asked = new Set<string>();

async function read(folder: string): Promise<void> {
  const answer = await ask('conversations.list', { workspace: folder });
  store.setState(({ byFolder }) =>
    answer.ok ? { byFolder: { ...byFolder, [folder]: answer.value }, error: null } : { error: answer.error },
  );
}

live.on('conversation', ({ conversation }) =>
  store.setState(({ byFolder }) => ({ byFolder: addConversation(byFolder, conversation) })),
);
live.on('conversation-gone', ({ id }) =>
  store.setState(({ byFolder, shown }) => ({
    byFolder: removeConversation(byFolder, id),
    shown: Object.fromEntries(Object.entries(shown).filter(([, each]) => each !== id)),
  })),
);
live.onGap(() => asked.forEach((folder) => void read(folder)));

const NONE: readonly ConversationSummary[] = [];

/** Reads the conversations of a folder; null as long as they are being read, and of no folder. */
export function useConversations(folder: string | null): {
  readonly all: readonly ConversationSummary[] | null;
  readonly error: BridgeError | null;
  readonly reload: () => void;
} {
  useEffect(() => {
    if (folder === null || asked.has(folder)) return;
    asked.add(folder);
    void read(folder);
  }, [folder]);
  const all = useStore(store, ({ byFolder }) => (folder === null ? null : (byFolder[folder] ?? null)));
  const error = useStore(store, (state) => state.error);
  return { all, error: all === null ? error : null, reload: () => void (folder === null ? null : read(folder)) };
}

/** The title of a conversation, wherever its calls are shown; null for anything else. */
export function useConversationTitle(folder: string, id: string | null): string | null {
  const { all } = useConversations(id === null ? null : folder);
  return (all ?? NONE).find((each) => each.id === id)?.title ?? null;
}

/** The one that the page shows of a folder: what was chosen, else what changed last. */
export function useShownConversation(folder: string): ConversationSummary | null {
  const { all } = useConversations(folder);
  const chosen = useStore(store, ({ shown }) => shown[folder]);
  if (chosen === null) return null;
  return (all ?? NONE).find(({ id }) => id === chosen) ?? all?.[0] ?? null;
}

export const showConversation = (folder: string, id: string | null): void =>
  store.setState(({ shown }) => ({ shown: { ...shown, [folder]: id } }));

/** Shows the page with it. */
export function goToConversation(folder: string, id: string | null): void {
  showConversation(folder, id);
  goTo('conversation');
}

/** Begins one; what is shown stays until it is shown itself. */
export async function beginConversation(folder: string): Promise<BridgeResult<ConversationSummary>> {
  showConversation(folder, null);
  const answer = await ask('conversations.begin', { workspace: folder });
  if (answer.ok)
    store.setState(({ byFolder }) => ({ byFolder: addConversation({ [folder]: [], ...byFolder }, answer.value) }));
  return answer;
}

const IDLE: Omit<WorkingConversation, 'id'> = {
  doing: { kind: 'idle' },
  next: null,
  canContinue: false,
  context: null,
};

export function useWorking(id: string | null): Omit<WorkingConversation, 'id'> {
  return useApp(({ app }) => app.working.find((each) => each.id === id)) ?? IDLE;
}
