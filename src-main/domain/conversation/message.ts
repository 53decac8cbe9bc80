import type { MessageFoot } from '#contract/vocabulary/conversation/conversation.js';
import type { AssistantBlock, UserPart } from '../ports/conversation/model.js';

export type PersonPart =
  UserPart | { readonly kind: 'file'; readonly path: string; readonly text: string } | AttachedResource;

/** A resource of a source, as it was read: foreign, like its results. */
export interface AttachedResource {
  readonly kind: 'resource';
  readonly source: string;
  readonly uri: string;
  readonly name: string;
  /** Whether it was read with a key of the person's or their sign-in. */
  readonly isOpened: boolean;
  readonly text: string;
  readonly pictures: readonly { readonly mediaType: string; readonly base64: string }[];
}

/** An answer's call, with the gate's own id once it was received. */
export type StoredBlock = AssistantBlock & { readonly callId?: string };

export interface AnswerEnd {
  readonly state: 'streaming' | 'whole' | 'stopped' | 'broke-off' | 'length' | 'refused' | 'empty' | 'failed';
  readonly failure: { readonly fault: string; readonly message: string } | null;
}

export interface StoredMessage {
  readonly id: string;
  readonly conversationId: string;
  readonly parent: string | null;
  readonly at: number;
  readonly said: SaidByPerson | SaidByAssistant;
}

export interface SaidByPerson {
  readonly by: 'person';
  readonly parts: readonly PersonPart[];
}

export interface SaidByAssistant {
  readonly by: 'assistant';
  readonly blocks: readonly StoredBlock[];
  readonly end: AnswerEnd;
  readonly foot: MessageFoot | null;
}
