/**
 * The resources and prompts of a source, in its own words, bounded and no more than that: whoever shows them makes
 * hidden characters visible.
 */
export interface OfferedResources {
  readonly resources: readonly ListedResource[];
  readonly prompts: readonly ListedPrompt[];
}

export interface ListedResource {
  readonly uri: string;
  readonly name: string;
  readonly description: string;
}

export interface ListedPrompt {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly args: readonly ListedPromptArgument[];
}

export interface ListedPromptArgument {
  readonly name: string;
  readonly description: string;
  readonly required: boolean;
}

export type ResourceContent =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'binary'; readonly mediaType: string; readonly base64: string };

export interface PromptMessage {
  readonly role: 'user' | 'assistant';
  readonly content: ResourceContent;
}
