/**
 * The resources and prompts of a source, in its own words, bounded and no more than that: whoever shows them makes
 * hidden characters visible.
 */
export interface Shelved {
  readonly resources: readonly ShelvedResource[];
  readonly prompts: readonly ShelvedPrompt[];
}

export interface ShelvedResource {
  readonly uri: string;
  readonly name: string;
  readonly description: string;
}

export interface ShelvedPrompt {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly args: readonly PromptArgument[];
}

export interface PromptArgument {
  readonly name: string;
  readonly description: string;
  readonly required: boolean;
}

export type ShelfContent =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'binary'; readonly mediaType: string; readonly base64: string };

export interface PromptMessage {
  readonly role: 'user' | 'assistant';
  readonly content: ShelfContent;
}
