import type { Failure } from '#contract/vocabulary/outcomes.js';
import type {
  ConversationMessage,
  ConversationSummary,
  MessageFoot,
  ModelChoice,
} from '#contract/vocabulary/conversation/conversation.js';
import type { Asking } from '#contract/vocabulary/conversation/asking.js';
import type { ConversationEvent, ResultFrame } from '../../conversation/conversation-events.js';
import type { AnswerEnd, PersonPart, StoredBlock, StoredMessage } from '../../conversation/message.js';

/**
 * What was said, as a tree of messages; one leaf of it is shown and goes on. Every change is an event of the journal
 * first; what a caller reads is its projection. Nothing in it holds what looks like a secret. Throws
 * JournalUnavailableError where a change can't be recorded; then it did not happen. What is asked of a conversation that
 * there is none of throws.
 */
export interface ConversationRecord {
  /** Null where there is none, or it was removed. */
  get(id: string): ConversationSummary | null;
  /** All of the branch that is shown, oldest first: what a history is made of. */
  branch(id: string): readonly StoredMessage[];
  /** The same from its end on, read as far as it is looked at; nothing is written meanwhile. */
  newestFirst(id: string): Iterable<StoredMessage>;
  message(id: string): StoredMessage | null;
  /** As the window sees it, with its place among its branches; of an answer in progress all that came. */
  view(messageId: string): ConversationMessage | null;
  /** What became of these calls, as far as it is kept. */
  results(callIds: readonly string[]): ReadonlyMap<string, CallResult>;

  begin(workspace: string, demo: boolean): ConversationSummary;
  rename(id: string, title: string): void;
  remove(id: string): void;
  undoRemove(id: string): void;
  chooseModel(id: string, model: ModelChoice | null): void;
  setAsking(id: string, asking: Asking | null): void;
  keepDraft(id: string, text: string): Promise<void>;
  /** The newest leaf below that message is shown. */
  showBranch(id: string, messageId: string): void;

  /** Durable when it resolves. `insteadOf`: beside that one, as a branch. It is the leaf then. */
  addPersonMessage(id: string, parts: readonly PersonPart[], insteadOf?: string): Promise<StoredMessage>;
  /** An answer begins, after the leaf or (`insteadOf`) beside that one; what comes of it is noted until it ends. */
  beginAnswer(id: string, model: string, insteadOf?: string): AnswerInProgress;
  /** Between which letters results are framed for the model: kept, so that a history is the same each time. */
  keepFrames(id: string, frames: readonly ResultFrame[]): void;
  /** Results that stand in one line in what the model gets. */
  fold(id: string, callIds: readonly string[]): void;
  unfold(id: string, callId: string): void;
  /** Of all its calls that were framed, folded or unfolded. */
  given(id: string): ReadonlyMap<string, HowGiven>;

  /** Answers that were being written when the app died; each was ended as broken off by the time anything begins. */
  readonly brokenOff: readonly { readonly conversationId: string; readonly messageId: string }[];
}

/** An answer that was being written when the app died. */
export interface AnswerLeft {
  readonly conversationId: string;
  readonly workspace: string;
  readonly messageId: string;
  /** As far as they came; the text of their arguments may end anywhere. */
  readonly calls: readonly { readonly id: string; readonly name: string; readonly text: string }[];
  /** What ends it as broken off, with what came; its calls have these ids now. */
  ended(callIds: readonly string[]): readonly ConversationEvent[];
}

/** How a call's result stands in what the model gets. */
export interface HowGiven {
  readonly letters: string | null;
  readonly folding: 'none' | 'folded' | 'wanted-whole';
}

export interface CallResult {
  readonly callId: string;
  readonly tool: string;
  /** The path or the command; '' where it has neither. */
  readonly about: string;
  /** Null while it has none. */
  readonly result: {
    readonly content: string;
    readonly failure: Failure | null;
    /** The content is what the tool said, not words of our own. */
    readonly isOutput: boolean;
  } | null;
  /** The person discarded what its batch gave. */
  readonly discarded: boolean;
  /** The person changed its arguments: what ran is not what was asked for. */
  readonly edited: boolean;
}

/** FR-RES-04a: noted as it comes, durable at most 50 ms later; each call from the moment its block began. */
export interface AnswerInProgress {
  readonly messageId: string;
  text(block: number, kind: 'text' | 'reasoning', piece: string): void;
  callBegan(block: number, id: string, name: string): void;
  callArguments(block: number, piece: string): void;
  /** Looks for secrets in what it ends with, on another thread where that is long. What was not prepared is looked through as it ends. */
  prepare(blocks: readonly StoredBlock[]): Promise<void>;
  /**
   * FR-RES-01: what ends it, to be appended together with what is recorded of its calls (`BatchRequest.with`), before
   * anything runs. Once it is, the answer is over.
   */
  ended(blocks: readonly StoredBlock[], end: AnswerEnd, foot: MessageFoot | null): readonly ConversationEvent[];
  /** The same, of an answer without calls: durable when it returns. */
  end(blocks: readonly StoredBlock[], end: AnswerEnd, foot: MessageFoot | null): void;
}
