import { useRef, useState } from 'react';
import type { ConversationSummary } from '#contract/vocabulary/conversation/conversation.js';
import { ask } from '../../../bridge/use-request.js';
import { beginConversation, showConversation } from '../../../store/conversations.js';
import { readMessage } from '../tool-line.js';
import type { DraftHandle } from './drafts.js';
import { isEmpty } from './unsent.js';

export interface ActionOutcome {
  readonly severity: 'info' | 'error';
  readonly title: string;
  readonly text: string;
}

export interface SendingHandle {
  readonly sending: boolean;
  /** The outcome of the last action in this conversation. */
  readonly said: ActionOutcome | null;
  /** Tells something in the conversation with this id. */
  readonly tell: (id: string, said: ActionOutcome) => void;
  readonly wrong: (title: string, text: string) => void;
  readonly dismiss: () => void;
  readonly send: () => Promise<void>;
  readonly stop: () => Promise<void>;
}

/** Sends what is written: a message, or the result of a call that waits for one. What can't be sent stays written. */
export function useSending(
  folder: string,
  conversation: ConversationSummary | null,
  drafting: DraftHandle,
): SendingHandle {
  const { draft, clear, putBack } = drafting;
  const here = conversation?.id ?? null;
  const [last, setLast] = useState<{ readonly of: string | null; readonly said: ActionOutcome } | null>(null);
  const [sending, setSending] = useState(false);
  const begun = useRef<string | null>(null);

  const tell = (said: ActionOutcome): void => setLast({ of: here, said });
  const wrong = (title: string, text: string): void => tell({ severity: 'error', title, text });
  const giveResult = async (callId: string, result: string): Promise<void> => {
    const answer = await ask('results.submit', { callId, result });
    if (!answer.ok) return wrong('The result wasn’t accepted', answer.error.message);
    clear();
    tell({ severity: 'info', title: 'Result submitted', text: `The call ${callId} has its result.` });
  };
  const say = async (): Promise<void> => {
    // The draft is cleared at once: text that is typed meanwhile is the next message.
    clear();
    const notSent = (text: string): void => {
      putBack(draft);
      wrong('Not sent', text);
    };
    let id = here ?? begun.current;
    if (id === null) {
      const answer = await beginConversation(folder);
      if (!answer.ok) return notSent(answer.error.message);
      // Should it not be sent, the same one is used again.
      id = begun.current = answer.value.id;
    }
    const { text, files, pictures, resources = [] } = draft;
    const answer = await ask('conversations.send', {
      id,
      text,
      files: [...files],
      pictures: [...pictures],
      ...(resources.length === 0 ? {} : { resources: [...resources] }),
    });
    if (!answer.ok) {
      // The conversation was deleted: another one begins then.
      if (answer.error.code === 'not-found') begun.current = null;
      return notSent(answer.error.message);
    }
    setLast(null);
    begun.current = null;
    if (here === null) showConversation(folder, id);
  };
  const send = async (): Promise<void> => {
    if (isEmpty(draft) || sending) return;
    const line = readMessage(draft.text);
    if (line.kind === 'wrong') return wrong('Not sent', line.message);
    setSending(true);
    await (line.kind === 'result' ? giveResult(line.callId, line.result) : say());
    setSending(false);
  };
  const stop = async (): Promise<void> => {
    if (here === null) return;
    const answer = await ask('conversations.stop', { id: here });
    if (!answer.ok) return wrong('It couldn’t be stopped', answer.error.message);
    if (answer.value.unsent !== null) putBack(answer.value.unsent);
  };
  return {
    sending,
    said: last?.of === here ? last.said : null,
    tell: (id, said) => setLast({ of: id, said }),
    wrong,
    dismiss: () => setLast(null),
    send,
    stop,
  };
}
