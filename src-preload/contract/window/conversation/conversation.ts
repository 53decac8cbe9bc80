import type { ResourceRef } from './offered-texts.js';
import type { ConversationMessage, ModelChoice } from '../../vocabulary/conversation/conversation.js';

export interface ModelOffer extends ModelChoice {
  /** Null where its provider doesn't tell. */
  readonly takesPictures: boolean | null;
}

export interface ModelOffers {
  /** The one that the settings name; null as long as none can answer. */
  readonly chosen: ModelOffer | null;
  readonly others: readonly ModelOffer[];
  /** Why some could not be listed, in words. */
  readonly problem: string | null;
}

export const PICTURE_TYPES = ['image/png', 'image/jpeg', 'image/gif', 'image/webp'] as const;
export type PictureType = (typeof PICTURE_TYPES)[number];

/** A message as it was written, before it was sent. */
export interface UnsentMessage {
  readonly text: string;
  /** Paths in the folder. */
  readonly files: readonly string[];
  /** Resources of sources: read when it is sent. `name` is as its source calls it. */
  readonly resources?: readonly (ResourceRef & { readonly name: string })[];
  readonly pictures: readonly { readonly mediaType: PictureType; readonly base64: string }[];
}

/** The text of a source's prompt, made visible: it is put into Message, and is sent by the person or not at all. */
export interface PromptText {
  readonly text: string;
  readonly pictures: UnsentMessage['pictures'];
  /** How many characters nobody would have seen. */
  readonly hidden: number;
  /** Parts of it that could not be taken, a sentence each. */
  readonly left: readonly string[];
}

/** The activity of a conversation now. A conversation that is not told of is idle. */
export interface WorkingConversation {
  readonly id: string;
  readonly doing:
    | { readonly kind: 'idle' }
    /** Asked, and nothing came yet. */
    | { readonly kind: 'asking' }
    | { readonly kind: 'streaming'; readonly messageId: string }
    | { readonly kind: 'waiting'; readonly seconds: number; readonly why: 'rate-limit' | 'overloaded' }
    | { readonly kind: 'calls'; readonly messageId: string };
  /** Sent while it works: goes with the next request. */
  readonly next: UnsentMessage | null;
  /** Whether it could go on by “Continue”. */
  readonly canContinue: boolean;
  /** How full its context is; null before the first request. */
  readonly context: { readonly usedTokens: number; readonly ofTokens: number } | null;
}

/**
 * A part of an answer, as it comes. `at` is its place in the text of its block: it may be told twice. Of a call that began the
 * text is the name of its tool.
 */
export interface MessagePiece {
  readonly conversationId: string;
  readonly messageId: string;
  readonly block: number;
  readonly kind: 'text' | 'reasoning' | 'call';
  readonly at: number;
  readonly text: string;
}

export interface MessagePage {
  /** Messages of the branch that is shown, oldest first. */
  readonly messages: readonly ConversationMessage[];
  /** There are older ones. */
  readonly more: boolean;
}
