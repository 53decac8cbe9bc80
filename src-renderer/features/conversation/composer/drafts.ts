import { useStore } from 'zustand';
import { createStore } from 'zustand/vanilla';
import type { ConversationSummary } from '#contract/vocabulary/conversation/conversation.js';
import type { UnsentMessage } from '#contract/window/conversation/conversation.js';
import { ask } from '../../../bridge/use-request.js';
import { live } from '../../../store/app.js';
import { joinUnsent, EMPTY_DRAFT } from './unsent.js';

/** Drafts by conversation: a draft outlives the page; its text outlives the app. */
const store = createStore<Readonly<Record<string, UnsentMessage>>>(() => ({}));
const SAVE_DELAY_MS = 400;
const keeping = new Map<string, ReturnType<typeof setTimeout>>();

// The draft is given back by itself, while the person may be on another page.
live.on('given-back', ({ conversationId, unsent }) => {
  const typed = store.getState()[conversationId] ?? EMPTY_DRAFT;
  store.setState({ [conversationId]: joinUnsent(unsent, typed) });
  saveSoon(conversationId);
});

const buildDraftKey = (conversation: ConversationSummary | null, folder: string): string =>
  conversation?.id ?? `new ${folder}`;

export interface DraftHandle {
  readonly draft: UnsentMessage;
  /** `change` may be made of what is written by then: something else may have been added meanwhile. */
  readonly change: (change: Partial<UnsentMessage> | ((now: UnsentMessage) => Partial<UnsentMessage>)) => void;
  readonly clear: () => void;
  /** Puts an unsent message back before what was typed since. */
  readonly putBack: (unsent: UnsentMessage) => void;
}

export function useDraft(conversation: ConversationSummary | null, folder: string): DraftHandle {
  const key = buildDraftKey(conversation, folder);
  const begun =
    conversation === null || conversation.draft === '' ? EMPTY_DRAFT : { ...EMPTY_DRAFT, text: conversation.draft };
  const known = useStore(store, (drafts) => drafts[key]);
  const current = (): UnsentMessage => store.getState()[key] ?? begun;
  const set = (next: UnsentMessage): void => {
    const before = current();
    store.setState({ [key]: next });
    if (conversation !== null && next.text !== before.text) saveSoon(conversation.id);
  };
  return {
    draft: known ?? begun,
    change: (change) => {
      const now = current();
      set({ ...now, ...(typeof change === 'function' ? change(now) : change) });
    },
    clear: () => set(EMPTY_DRAFT),
    putBack: (unsent) => set(joinUnsent(unsent, current())),
  };
}

/** Moves a draft that was typed before there was a conversation to that conversation once it is begun. */
export function moveDraft(folder: string, id: string): void {
  const from = buildDraftKey(null, folder);
  const typed = store.getState()[from];
  if (typed === undefined) return;
  store.setState({ [from]: EMPTY_DRAFT, [id]: joinUnsent(typed, store.getState()[id] ?? EMPTY_DRAFT) });
  saveSoon(id);
}

/** Puts a prompt's text in place of the word that it was found by, and before whatever else was typed. */
export function insertPrompt(id: string, said: Pick<UnsentMessage, 'text' | 'pictures'>): void {
  const typed = store.getState()[id] ?? EMPTY_DRAFT;
  const rest = { ...typed, text: typed.text.replace(/^\/[^\s/]{0,200}\s*/u, '') };
  store.setState({ [id]: joinUnsent({ ...EMPTY_DRAFT, ...said }, rest) });
  saveSoon(id);
}

function saveSoon(id: string): void {
  clearTimeout(keeping.get(id));
  keeping.set(
    id,
    setTimeout(() => {
      keeping.delete(id);
      void ask('conversations.keepDraft', { id, text: store.getState()[id]?.text ?? '' });
    }, SAVE_DELAY_MS),
  );
}
