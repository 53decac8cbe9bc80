import type { MessageFoot, ModelChoice } from '#contract/vocabulary/conversation/conversation.js';
import type { AskingPreset } from '#contract/vocabulary/conversation/asking-preset.js';
import type { AnswerEnd, PersonPart, StoredBlock } from './message.js';

/** Everything that can happen to a conversation, as facts. Its record makes them, without secrets. */
export type ConversationEvent =
  | {
      readonly type: 'conversation-begun';
      readonly conversationId: string;
      readonly workspace: string;
      readonly demo: boolean;
    }
  | { readonly type: 'conversation-changed'; readonly conversationId: string; readonly change: ConversationChange }
  | {
      readonly type: 'message-added';
      readonly conversationId: string;
      readonly messageId: string;
      /** The message that it answers to; null for a first one. */
      readonly parent: string | null;
      readonly parts: readonly PersonPart[];
    }
  /** A model is about to be asked. */
  | {
      readonly type: 'answer-begun';
      readonly conversationId: string;
      readonly messageId: string;
      readonly parent: string;
      readonly model: string;
    }
  | {
      readonly type: 'answer-ended';
      readonly conversationId: string;
      readonly messageId: string;
      readonly blocks: readonly StoredBlock[];
      readonly end: AnswerEnd;
      readonly foot: MessageFoot | null;
    };

export type ConversationChange =
  | { readonly what: 'renamed'; readonly title: string }
  | { readonly what: 'model-chosen'; readonly model: ModelChoice | null }
  | { readonly what: 'asking-set'; readonly asking: AskingPreset | null }
  | { readonly what: 'removed' }
  | { readonly what: 'restored' }
  /** The branch that ends there is shown, and goes on from there. */
  | { readonly what: 'leaf-shown'; readonly messageId: string }
  /** Results are folded to one line in what the model gets. */
  | { readonly what: 'folded'; readonly calls: readonly string[] }
  /** The person wants a result whole: it is not folded again. */
  | { readonly what: 'unfolded'; readonly call: string }
  /** The letters between which results were given to the model. */
  | { readonly what: 'framed'; readonly frames: readonly ResultFrame[] };

export interface ResultFrame {
  readonly call: string;
  readonly letters: string;
}
