import { useStore } from 'zustand';
import { createStore } from 'zustand/vanilla';
import type { ConversationSummary } from '#contract/vocabulary/conversation/conversation.js';
import type { UnsentMessage } from '#contract/window/conversation/conversation.js';
import { ask } from '../../../bridge/use-request.js';
import { live } from '../../../store/app.js';
import { joined, NOTHING_WRITTEN } from './unsent.js';

/** Drafts by conversation: a draft outlives the page; its text outlives the app. */
const store = createStore<Readonly<Record<string, UnsentMessage>>>(() => ({}));
const KEPT_AFTER_MS = 400;
const keeping = new Map<string, ReturnType<typeof setTimeout>>();

// The draft is given back by itself, while the person may be on another page.
live.on('given-back', ({ conversationId, unsent }) => {
  const typed = store.getState()[conversationId] ?? NOTHING_WRITTEN;
  store.setState({ [conversationId]: joined(unsent, typed) });
  keepSoon(conversationId);
});

const keyOf = (conversation: ConversationSummary | null, folder: string): string => conversation?.id ?? `new ${folder}`;

export interface Drafting {
  readonly draft: UnsentMessage;
  /** `change` may be made of what is written by then: something else may have been added meanwhile. */
  readonly change: (change: Partial<UnsentMessage> | ((now: UnsentMessage) => Partial<UnsentMessage>)) => void;
  readonly clear: () => void;
  /** Puts an unsent message back before what was typed since. */
  readonly putBack: (unsent: UnsentMessage) => void;
}

export function useDraft(conversation: ConversationSummary | null, folder: string): Drafting {
  const key = keyOf(conversation, folder);
  const begun =
    conversation === null || conversation.draft === ''
      ? NOTHING_WRITTEN
      : { ...NOTHING_WRITTEN, text: conversation.draft };
  const known = useStore(store, (drafts) => drafts[key]);
  const current = (): UnsentMessage => store.getState()[key] ?? begun;
  const set = (next: UnsentMessage): void => {
    const before = current();
    store.setState({ [key]: next });
    if (conversation !== null && next.text !== before.text) keepSoon(conversation.id);
  };
  return {
    draft: known ?? begun,
    change: (change) => {
      const now = current();
      set({ ...now, ...(typeof change === 'function' ? change(now) : change) });
    },
    clear: () => set(NOTHING_WRITTEN),
    putBack: (unsent) => set(joined(unsent, current())),
  };
}

/** Moves a draft that was typed before there was a conversation to that conversation once it is begun. */
export function moveDraft(folder: string, id: string): void {
  const from = keyOf(null, folder);
  const typed = store.getState()[from];
  if (typed === undefined) return;
  store.setState({ [from]: NOTHING_WRITTEN, [id]: joined(typed, store.getState()[id] ?? NOTHING_WRITTEN) });
  keepSoon(id);
}

/** Puts a prompt's text in place of the word that it was found by, and before whatever else was typed. */
export function putPrompt(id: string, said: Pick<UnsentMessage, 'text' | 'pictures'>): void {
  const typed = store.getState()[id] ?? NOTHING_WRITTEN;
  const rest = { ...typed, text: typed.text.replace(/^\/[^\s/]{0,200}\s*/u, '') };
  store.setState({ [id]: joined({ ...NOTHING_WRITTEN, ...said }, rest) });
  keepSoon(id);
}

function keepSoon(id: string): void {
  clearTimeout(keeping.get(id));
  keeping.set(
    id,
    setTimeout(() => {
      keeping.delete(id);
      void ask('conversations.keepDraft', { id, text: store.getState()[id]?.text ?? '' });
    }, KEPT_AFTER_MS),
  );
}
