import type { AssistantBlock, Model, ModelFailure, ModelRequest } from '../../domain/ports/conversation/model.js';

/**
 * The model that answers, with the settings as they were when the person spoke: they hold until the person speaks
 * again.
 */
export interface Speaker {
  readonly model: Model;
  /** The name at the foot of an answer. */
  readonly name: string;
  /** `max_tool_iterations_per_user_turn`. */
  readonly mostRounds: number;
  /** Builds the request to send now: from the shown branch, without an answer that has only begun. */
  prepare(mayCall: boolean): Promise<PreparedRequest | ModelFailure>;
}

export interface PreparedRequest {
  readonly request: ModelRequest;
  readonly context: { readonly usedTokens: number; readonly ofTokens: number };
  /** FR-REG-04b: what the results of this answer to it may take; null where there is no room for any. */
  readonly room: (answer: readonly AssistantBlock[]) => number | null;
}
