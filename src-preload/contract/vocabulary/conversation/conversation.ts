import type { AskingPreset } from './asking-preset.js';

export interface ConversationSummary {
  readonly id: string;
  /** The folder it is about, by its real path. */
  readonly workspace: string;
  /** The person's own, or made of the first message. */
  readonly title: string;
  /** Where it has got to: the beginning of what was said last. */
  readonly summary: string;
  readonly startedAt: number;
  readonly changedAt: number;
  /** The model chosen for it; null: as the settings say. */
  readonly model: ModelChoice | null;
  /** How its calls are asked about; null: as all. */
  readonly asking: AskingPreset | null;
  /** The scripted tour plays in it. */
  readonly demo: boolean;
  /** Text that was typed and not sent. */
  readonly draft: string;
}

export interface ModelChoice {
  readonly provider: string;
  /** Null: the provider's own. */
  readonly baseUrl: string | null;
  readonly model: string;
}

export interface ConversationMessage {
  readonly id: string;
  readonly conversationId: string;
  readonly role: 'person' | 'assistant';
  readonly at: number;
  readonly blocks: readonly MessageBlock[];
  /** How an answer ended. A person's message is whole. */
  readonly state: 'streaming' | 'whole' | 'stopped' | 'broke-off' | 'length' | 'refused' | 'empty' | 'failed';
  /** A failure in plain words, with what to do. */
  readonly failure: { readonly fault: string; readonly message: string } | null;
  readonly foot: MessageFoot | null;
  /** The branches beside it: “2/3” is `at` 2 `of` 3. */
  readonly branch: {
    readonly at: number;
    readonly of: number;
    readonly previous: string | null;
    readonly next: string | null;
  };
}

export interface MessageFoot {
  readonly model: string;
  readonly inputTokens: number | null;
  readonly outputTokens: number | null;
  readonly durationMs: number;
  /** The cost in US dollars, where the provider tells it. */
  readonly cost: number | null;
}

export type MessageBlock =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'reasoning'; readonly text: string }
  /** Drawn as the call it is. `callId` is null while the model still writes it. */
  | {
      readonly kind: 'call';
      readonly callId: string | null;
      readonly tool: string;
      /** Whether its result is folded into one line for the model; undone by the person. */
      readonly folded: boolean;
    }
  /** A file of the folder that the person attached, with its text as it was read. */
  | { readonly kind: 'file'; readonly path: string; readonly text: string }
  /** A resource of a source that the person attached, as it was read. */
  | {
      readonly kind: 'resource';
      readonly source: string;
      readonly uri: string;
      readonly name: string;
      readonly text: string;
      readonly pictures: readonly { readonly mediaType: string; readonly base64: string }[];
    }
  | { readonly kind: 'picture'; readonly mediaType: string; readonly base64: string };
