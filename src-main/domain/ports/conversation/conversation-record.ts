import type { Failure } from '#contract/vocabulary/outcomes.js';
import type {
  ConversationMessage,
  ConversationSummary,
  MessageFoot,
  ModelChoice,
} from '#contract/vocabulary/conversation/conversation.js';
import type { AskingPreset } from '#contract/vocabulary/conversation/asking-preset.js';
import type { ConversationEvent, ResultFrame } from '../../conversation/conversation-events.js';
import type { AnswerEnd, PersonPart, StoredBlock, StoredMessage } from '../../conversation/message.js';

/**
 * The record of conversations: each a tree of messages; one leaf of it is shown and goes on. Every change is an event
 * of the journal first; what a caller reads is its projection. Nothing in it holds what looks like a secret. Throws
 * JournalUnavailableError where a change can't be recorded; then it did not happen. A question about a conversation
 * that doesn't exist throws.
 */
export interface ConversationRecord {
  /** Null where there is none, or it was removed. */
  get(id: string): ConversationSummary | null;
  /** The whole branch that is shown, oldest first: what a history is made of. */
  branch(id: string): readonly StoredMessage[];
  /** The same from its end on, read as far as it is looked at; nothing is written meanwhile. */
  newestFirst(id: string): Iterable<StoredMessage>;
  message(id: string): StoredMessage | null;
  /** The message as the window sees it, with its place among its branches; of an answer in progress all that came. */
  view(messageId: string): ConversationMessage | null;
  /** The results of these calls, as far as they are kept. */
  results(callIds: readonly string[]): ReadonlyMap<string, RecordedCallResult>;

  begin(workspace: string, demo: boolean): ConversationSummary;
  rename(id: string, title: string): void;
  remove(id: string): void;
  undoRemove(id: string): void;
  chooseModel(id: string, model: ModelChoice | null): void;
  setAsking(id: string, asking: AskingPreset | null): void;
  keepDraft(id: string, text: string): Promise<void>;
  /** Shows the newest leaf below that message. */
  showBranch(id: string, messageId: string): void;

  /** Adds a message, which is the leaf then; durable when it resolves. `insteadOf`: beside that one, as a branch. */
  addPersonMessage(id: string, parts: readonly PersonPart[], insteadOf?: string): Promise<StoredMessage>;
  /** Begins an answer, after the leaf or (`insteadOf`) beside that one; what comes of it is noted until it ends. */
  beginAnswer(id: string, model: string, insteadOf?: string): AnswerInProgress;
  /** Keeps the letters between which results are framed for the model, so that a history is the same each time. */
  keepFrames(id: string, frames: readonly ResultFrame[]): void;
  /** Folds results to one line in what the model gets. */
  fold(id: string, callIds: readonly string[]): void;
  unfold(id: string, callId: string): void;
  /** How the model gets the results of all calls that were framed, folded or unfolded. */
  listPresentations(id: string): ReadonlyMap<string, ResultPresentation>;
}

/** An answer that was being written when the app died. */
export interface InterruptedAnswer {
  readonly conversationId: string;
  readonly workspace: string;
  readonly messageId: string;
  /** The calls, as far as they came; the text of their arguments may end anywhere. */
  readonly calls: readonly { readonly id: string; readonly name: string; readonly text: string }[];
  /** Gives the events that end it as broken off, with what came; its calls have these ids now. */
  ended(callIds: readonly string[]): readonly ConversationEvent[];
}

/** How a call's result is put in what the model gets. */
export interface ResultPresentation {
  readonly letters: string | null;
  readonly folding: 'none' | 'folded' | 'wanted-whole';
}

export interface RecordedCallResult {
  readonly callId: string;
  readonly tool: string;
  /** The path or the command; '' where it has neither. */
  readonly about: string;
  /** Null while it has none. */
  readonly result: {
    readonly content: string;
    readonly failure: Failure | null;
    /** Whether the content is the tool's own, not words of ours. */
    readonly isOutput: boolean;
  } | null;
  /** Whether the person discarded the results of its batch. */
  readonly discarded: boolean;
  /** Whether the person changed its arguments: the call that ran is not the one that was asked for. */
  readonly edited: boolean;
}

/**
 * An answer that is being written (FR-RES-04a): noted as it comes, durable at most 50 ms later; each call from the
 * moment its block began.
 */
export interface AnswerInProgress {
  readonly messageId: string;
  text(block: number, kind: 'text' | 'reasoning', piece: string): void;
  callBegan(block: number, id: string, name: string): void;
  callArguments(block: number, piece: string): void;
  /**
   * Looks for secrets in the blocks that it ends with, on another thread where they are long. Blocks that were not
   * prepared are looked through as it ends.
   */
  prepare(blocks: readonly StoredBlock[]): Promise<void>;
  /**
   * Gives the events that end it (FR-RES-01), to be appended together with what is recorded of its calls
   * (`BatchRequest.with`), before anything runs. Once they are, the answer is over.
   */
  ended(blocks: readonly StoredBlock[], end: AnswerEnd, foot: MessageFoot | null): readonly ConversationEvent[];
  /** Ends an answer without calls: durable when it returns. */
  end(blocks: readonly StoredBlock[], end: AnswerEnd, foot: MessageFoot | null): void;
}
