import { createStore, type StoreApi } from 'zustand/vanilla';
import type { ConversationMessage } from '#contract/vocabulary/conversation/conversation.js';
import type { MessagePage, MessagePiece } from '#contract/window/conversation/conversation.js';
import type { BridgeError, BridgeResult } from '#contract/window/result.js';
import { createThread, prependOlder, type Thread, applyMessage, applyPiece } from './thread.js';

/** Enough to fill a tall window a few times over. */
const PAGE = 60;
/** A window that is not drawn has no frames: then what came is taken in by its number. */
const MAX_PENDING_EVENTS = 2000;

export interface ThreadState {
  /** Null as long as it is being read. */
  readonly thread: Thread | null;
  readonly error: BridgeError | null;
  readonly readingOlder: boolean;
}

export interface ThreadSources {
  readonly read: (limit: number, before: string | null) => Promise<BridgeResult<MessagePage>>;
  /** Once, before the next picture. */
  readonly beforeNextFrame: (work: () => void) => void;
}

export interface LiveThread {
  readonly store: StoreApi<ThreadState>;
  readonly reload: () => Promise<void>;
  readonly readOlder: () => Promise<void>;
  readonly onMessage: (message: ConversationMessage) => void;
  readonly onPiece: (piece: MessagePiece) => void;
}

type ThreadEvent = { readonly message: ConversationMessage } | { readonly piece: MessagePiece };

/** A conversation as it is read and goes on: what comes within one frame is drawn with the next one. */
export function createLiveThread({ read, beforeNextFrame }: ThreadSources): LiveThread {
  const store = createStore<ThreadState>(() => ({ thread: null, error: null, readingOlder: false }));
  let came: ThreadEvent[] = [];
  let scheduled = false;
  let reading = 0;
  /** Messages that were read again for a piece that was missing: once each, until they come whole. */
  const readFor = new Set<string>();

  const next = (thread: Thread, one: ThreadEvent): Thread => {
    if ('message' in one) {
      readFor.delete(one.message.id);
      return applyMessage(thread, one.message);
    }
    const longer = applyPiece(thread, one.piece);
    if (longer === null && !readFor.has(one.piece.messageId)) {
      readFor.add(one.piece.messageId);
      void reload();
    }
    return longer ?? thread;
  };
  const take = (): void => {
    scheduled = false;
    const { thread } = store.getState();
    // Events during a reading are applied to what is read.
    if (thread === null || reading > 0) return;
    const all = came;
    came = [];
    const now = all.reduce(next, thread);
    if (now !== thread) store.setState({ thread: now });
  };
  const add = (one: ThreadEvent): void => {
    came.push(one);
    if (came.length > MAX_PENDING_EVENTS) take();
    if (scheduled) return;
    scheduled = true;
    beforeNextFrame(take);
  };

  const reload = async (): Promise<void> => {
    reading += 1;
    const answer = await read(PAGE, null);
    reading -= 1;
    if (reading > 0) return;
    if (answer.ok) store.setState({ thread: createThread(answer.value), error: null });
    else store.setState({ error: answer.error });
    take();
  };

  const readOlder = async (): Promise<void> => {
    const { thread, readingOlder } = store.getState();
    const [first] = thread?.messages ?? [];
    if (readingOlder || thread?.more !== true || first === undefined) return;
    store.setState({ readingOlder: true });
    const answer = await read(PAGE, first.id);
    store.setState((state) => ({
      readingOlder: false,
      // Read again meanwhile, or on another branch: then it does not fit any more.
      thread:
        answer.ok && state.thread?.messages[0]?.id === first.id
          ? prependOlder(state.thread, answer.value)
          : state.thread,
      error: answer.ok ? state.error : answer.error,
    }));
  };

  return {
    store,
    reload,
    readOlder,
    onMessage: (message) => add({ message }),
    onPiece: (piece) => add({ piece }),
  };
}
