/**
 * Resources and prompts of running, accepted sources for a conversation, by the words that were typed. All words in it
 * are theirs.
 */
export interface OfferedTexts {
  readonly resources: readonly FoundResource[];
  readonly prompts: readonly FoundPrompt[];
  /** Why some are missing, a sentence each. */
  readonly problems: readonly string[];
}

/** A resource by the address that its source lists it under. */
export interface ResourceRef {
  readonly source: string;
  readonly uri: string;
}

export interface FoundResource extends ResourceRef {
  readonly name: string;
  readonly description: string;
}

export interface FoundPrompt {
  readonly source: string;
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly args: readonly OfferedPromptArgument[];
}

export interface OfferedPromptArgument {
  readonly name: string;
  readonly description: string;
  readonly required: boolean;
}
