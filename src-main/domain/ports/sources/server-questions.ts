import type { JsonObject } from '#contract/vocabulary/json.js';

/** Questions that servers ask in the midst of their calls. The person answers them, in the window. */
export interface ServerQuestions {
  /**
   * Asks the person, in the order of asking. Resolves with `cancel` when the signal ends it; nothing of the question is
   * left then.
   */
  ask(question: SourceQuestion, by: QuestionContext): Promise<ServerAnswer>;
  /** Shows the person what would go to which model, and then the answer before it is given back. */
  sample(request: SampleRequest, by: QuestionContext): Promise<SampleOutcome>;
}

export interface QuestionContext {
  readonly source: string;
  /** The calls of that server that are under way: it does not say for which of them it asks. */
  readonly calls: readonly { readonly callId: string; readonly operation: string }[];
  readonly signal: AbortSignal;
}

export type SourceQuestion =
  | { readonly kind: 'form'; readonly message: string; readonly schema: JsonObject }
  | { readonly kind: 'page'; readonly message: string; readonly url: string };

export type ServerAnswer =
  { readonly action: 'accept'; readonly content: JsonObject | null } | { readonly action: 'decline' | 'cancel' };

export interface SampleRequest {
  readonly system: string | null;
  readonly messages: readonly { readonly role: 'user' | 'assistant'; readonly text: string }[];
  readonly maxTokens: number;
  readonly temperature: number | null;
}

export type SampleOutcome =
  | {
      readonly given: true;
      readonly model: string;
      readonly text: string;
      readonly wasCut: boolean;
      /** The whole exchange, without secrets, for the call’s record. */
      readonly record: string;
    }
  | { readonly given: false; readonly words: string };
