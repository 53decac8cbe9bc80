import type { AppEventBody } from '#contract/window/app-events.js';
import type { ConversationEvent } from '../../domain/conversation/conversation-events.js';
import type { JournalEvent } from '../../domain/call/journal-events.js';
import type { ConversationRecord } from '../../domain/ports/conversation/conversation-record.js';
import type { Journal } from '../../domain/ports/journal.js';
import { messagesOf } from '../../conversation/loop/can-continue.js';

type ConversationReads = Pick<ConversationRecord, 'get' | 'newestFirst' | 'view'>;

/** Publishes to the window whatever is recorded of conversations. */
export function followConversations(
  journal: Pick<Journal, 'onCommit'>,
  record: ConversationReads,
  publish: (event: AppEventBody) => void,
): void {
  journal.onCommit((events) => {
    const touched = new Set<string>();
    for (const event of events) {
      if (!isOfConversation(event)) continue;
      touched.add(event.conversationId);
      for (const id of messagesChangedBy(event, record)) {
        const message = record.view(id);
        if (message !== null) publish({ type: 'message', message });
      }
    }
    for (const id of touched) {
      const conversation = record.get(id);
      publish(conversation === null ? { type: 'conversation-gone', id } : { type: 'conversation', conversation });
    }
  });
}

const isOfConversation = (event: JournalEvent): event is ConversationEvent => 'conversationId' in event;

function messagesChangedBy(event: ConversationEvent, record: ConversationReads): readonly string[] {
  switch (event.type) {
    case 'message-added':
    case 'answer-begun':
    case 'answer-ended':
      return [event.messageId];
    case 'conversation-begun':
      return [];
    case 'conversation-changed': {
      const { change, conversationId } = event;
      if (change.what !== 'folded' && change.what !== 'unfolded') return [];
      const calls = change.what === 'folded' ? change.calls : [change.call];
      return [...messagesOf(record.newestFirst(conversationId), calls)].map(({ id }) => id);
    }
  }
}
