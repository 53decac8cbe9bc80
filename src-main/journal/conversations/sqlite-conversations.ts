import { randomUUID } from 'node:crypto';
import type { Database } from 'better-sqlite3';
import type { AskingPreset } from '#contract/vocabulary/conversation/asking-preset.js';
import type {
  ConversationMessage,
  ConversationSummary,
  MessageFoot,
  ModelChoice,
} from '#contract/vocabulary/conversation/conversation.js';
import type { JournalEvent } from '../../domain/call/journal-events.js';
import type {
  ConversationChange,
  ConversationEvent,
  ResultFrame,
} from '../../domain/conversation/conversation-events.js';
import type { AnswerEnd, PersonPart, StoredBlock, StoredMessage } from '../../domain/conversation/message.js';
import { AnswerRedactor, redactPersonParts } from '../../domain/conversation/redact-messages.js';
import { parsePartialArguments } from '../../domain/call/cut-arguments.js';
import type {
  AnswerInProgress,
  InterruptedAnswer,
  RecordedCallResult,
  ConversationRecord,
  ResultPresentation,
} from '../../domain/ports/conversation/conversation-record.js';
import type { Redactor } from '../../domain/ports/redactor.js';
import type { Sealer } from '../../domain/ports/sealing.js';
import { CallResults } from './call-results.js';
import {
  type ConversationRow,
  type MessageRow,
  MessageViews,
  PLACED_SELECT,
  type PlacedMessageRow,
  SUMMARY_SELECT,
  type SummaryRow,
  toConversation,
  toMessage,
} from './conversation-rows.js';
import { prepareBranch, readNewestBelow, readUpwards } from './message-pages.js';
import { readStreamedBlocks, type StreamedBlock, type StreamedPieces, toStreamedView } from './streamed-pieces.js';

export interface ConversationDeps {
  readonly db: Database;
  readonly redactor: Redactor;
  readonly sealer: Sealer;
  readonly streamed: StreamedPieces;
  readonly append: (events: readonly ConversationEvent[]) => void;
  /** Writes durably what is no event. */
  readonly durably: (write: () => void) => void;
}

export class SqliteConversations implements ConversationRecord {
  readonly #parts: ConversationDeps;
  readonly #statements: ReturnType<typeof prepare>;
  readonly #views: MessageViews;
  readonly #results: CallResults;
  readonly #answers: AnswerRedactor;
  /** Drafts that are being redacted before they are kept. */
  readonly #drafts = new Map<string, string>();

  constructor(parts: ConversationDeps) {
    this.#parts = parts;
    this.#statements = prepare(parts.db);
    this.#views = new MessageViews(parts.db);
    this.#results = new CallResults(parts.db, parts.sealer);
    this.#answers = new AnswerRedactor(parts.redactor);
  }

  /** Answers that were being written at the start of the app, and that nobody ended yet. */
  leftByCrash(): readonly InterruptedAnswer[] {
    return this.#statements.streaming.all().map((row) => {
      const came = readStreamedBlocks(this.#parts.db, row.id);
      return {
        conversationId: row.conversationId,
        workspace: row.workspace,
        messageId: row.messageId,
        calls: came.flatMap(({ kind, requestId, tool, text }) =>
          kind === 'call' ? [{ id: requestId ?? '', name: tool ?? '', text }] : [],
        ),
        ended: (callIds) => this.#ended(row, toUnfinishedBlocks(came, callIds), BROKE_OFF, null),
      };
    });
  }

  /** An answer that ended needs no note any more of what came of it; a result that is revealed goes to its model. */
  committed(events: readonly JournalEvent[]): void {
    for (const event of events) {
      if (event.type === 'call-settled' && event.result.withheld !== undefined)
        this.#results.settled(event.callId, event.result.withheld.content);
      if (event.type !== 'answer-ended') continue;
      const row = this.#statements.placed.get(event.messageId);
      if (row !== undefined) this.#parts.streamed.forget(row.id);
    }
  }

  get(id: string): ConversationSummary | null {
    const row = this.#statements.summed.get(id);
    return row === undefined || row.removedAt !== null ? null : toConversation(row);
  }

  branch(id: string): readonly StoredMessage[] {
    const { leaf } = this.#conversation(id);
    return leaf === null ? [] : this.#statements.branch.all(leaf).map(toMessage);
  }

  *newestFirst(id: string): Iterable<StoredMessage> {
    for (const row of readUpwards(this.#parts.db, this.#conversation(id).leaf)) yield toMessage(row);
  }

  message(id: string): StoredMessage | null {
    const row = this.#statements.placed.get(id);
    return row === undefined ? null : toMessage(row);
  }

  view(messageId: string): ConversationMessage | null {
    const row = this.#statements.placed.get(messageId);
    if (row === undefined) return null;
    return row.state === 'streaming'
      ? this.#views.of(row, toStreamedView(this.#parts.streamed.of(row.id)))
      : this.#views.of(row);
  }

  results(callIds: readonly string[]): ReadonlyMap<string, RecordedCallResult> {
    return this.#results.of(callIds);
  }

  begin(workspace: string, demo: boolean): ConversationSummary {
    const conversationId = randomUUID();
    this.#parts.append([{ type: 'conversation-begun', conversationId, workspace, demo }]);
    return toConversation({ ...this.#conversation(conversationId), last: null });
  }

  rename(id: string, title: string): void {
    this.#change(id, { what: 'renamed', title: this.#parts.redactor.text(title).value });
  }

  remove(id: string): void {
    this.#change(id, { what: 'removed' });
  }

  undoRemove(id: string): void {
    this.#change(id, { what: 'restored' });
  }

  chooseModel(id: string, model: ModelChoice | null): void {
    this.#change(id, { what: 'model-chosen', model });
  }

  setAsking(id: string, asking: AskingPreset | null): void {
    this.#change(id, { what: 'asking-set', asking });
  }

  async keepDraft(id: string, text: string): Promise<void> {
    const { id: row } = this.#conversation(id);
    this.#drafts.set(id, text);
    const kept = (await this.#parts.redactor.textLater(text)).value;
    // What was typed since goes before.
    if (this.#drafts.get(id) !== text) return;
    this.#parts.durably(() => void this.#statements.draft.run(kept, row));
    this.#drafts.delete(id);
  }

  showBranch(id: string, messageId: string): void {
    const row = this.#messageIn(id, messageId);
    this.#change(id, { what: 'leaf-shown', messageId: readNewestBelow(this.#parts.db, row.id) });
  }

  async addPersonMessage(id: string, parts: readonly PersonPart[], insteadOf?: string): Promise<StoredMessage> {
    const clean = await redactPersonParts(parts, this.#parts.redactor);
    const messageId = randomUUID();
    const parent = this.#parentOf(id, insteadOf);
    this.#parts.append([{ type: 'message-added', conversationId: id, messageId, parent, parts: clean }]);
    return toMessage(this.#placed(messageId));
  }

  beginAnswer(id: string, model: string, insteadOf?: string): AnswerInProgress {
    const parent = this.#parentOf(id, insteadOf);
    if (parent === null) throw new Error(`Conversation ${id} has nothing to answer to.`);
    const messageId = randomUUID();
    this.#parts.append([{ type: 'answer-begun', conversationId: id, messageId, parent, model }]);
    const row = this.#placed(messageId);
    this.#parts.streamed.begin(row.id);
    return this.#inProgress(row);
  }

  keepFrames(id: string, frames: readonly ResultFrame[]): void {
    if (frames.length > 0) this.#change(id, { what: 'framed', frames });
  }

  fold(id: string, callIds: readonly string[]): void {
    if (callIds.length > 0) this.#change(id, { what: 'folded', calls: callIds });
  }

  unfold(id: string, callId: string): void {
    this.#change(id, { what: 'unfolded', call: callId });
  }

  listPresentations(id: string): ReadonlyMap<string, ResultPresentation> {
    const rows = this.#statements.given.all(this.#conversation(id).id);
    return new Map(rows.map(({ callId, letters, folding }) => [callId, { letters, folding }]));
  }

  #change(conversationId: string, change: ConversationChange): void {
    this.#parts.append([{ type: 'conversation-changed', conversationId, change }]);
  }

  #inProgress(row: PlacedMessageRow): AnswerInProgress {
    const { id, messageId } = row;
    const { streamed, append } = this.#parts;
    const none = { requestId: null, tool: null };
    const ended: AnswerInProgress['ended'] = (blocks, end, foot) => this.#ended(row, blocks, end, foot);
    return {
      messageId,
      text: (block, kind, piece) => streamed.add(id, { block, kind, ...none }, piece),
      callBegan: (block, requestId, tool) => streamed.add(id, { block, kind: 'call', requestId, tool }, ''),
      callArguments: (block, piece) => streamed.add(id, { block, kind: 'call', ...none }, piece),
      prepare: (blocks) => this.#answers.prepare(blocks),
      ended,
      end: (blocks, end, foot) => append(ended(blocks, end, foot)),
    };
  }

  #ended(
    { conversationId, messageId }: Pick<PlacedMessageRow, 'conversationId' | 'messageId'>,
    blocks: readonly StoredBlock[],
    { state, failure }: AnswerEnd,
    foot: MessageFoot | null,
  ): readonly ConversationEvent[] {
    const said = failure === null ? null : { ...failure, message: this.#parts.redactor.text(failure.message).value };
    const clean = this.#answers.redact(blocks);
    return [{ type: 'answer-ended', conversationId, messageId, blocks: clean, end: { state, failure: said }, foot }];
  }

  #conversation(id: string): ConversationRow {
    const row = this.#statements.conversation.get(id);
    if (row === undefined) throw new Error(`There is no conversation ${id}.`);
    return row;
  }

  #placed(messageId: string): PlacedMessageRow {
    const row = this.#statements.placed.get(messageId);
    if (row === undefined) throw new Error(`There is no message ${messageId}.`);
    return row;
  }

  #messageIn(id: string, messageId: string): PlacedMessageRow {
    const row = this.#placed(messageId);
    if (row.conversationId !== id) throw new Error(`Message ${messageId} is not of conversation ${id}.`);
    return row;
  }

  #parentOf(id: string, insteadOf: string | undefined): string | null {
    if (insteadOf !== undefined) return this.#messageIn(id, insteadOf).parentId;
    const { leaf } = this.#conversation(id);
    return leaf === null ? null : (this.#statements.messageId.get(leaf)?.messageId ?? null);
  }
}

const BROKE_OFF: AnswerEnd = {
  state: 'broke-off',
  failure: {
    fault: 'broke-off',
    message: 'Gatehouse stopped while this was written. What came by then is kept. You can ask again.',
  },
};

function toUnfinishedBlocks(came: readonly StreamedBlock[], callIds: readonly string[]): readonly StoredBlock[] {
  const ids = [...callIds];
  return came.flatMap(({ kind, requestId, tool, text }): readonly StoredBlock[] => {
    if (kind === 'text') return text === '' ? [] : [{ kind, text }];
    if (kind === 'reasoning') return text === '' ? [] : [{ kind, text, kept: null }];
    const callId = ids.shift();
    const call = {
      kind,
      id: requestId ?? '',
      name: tool ?? '',
      arguments: parsePartialArguments(text),
      kept: null,
    } as const;
    return [callId === undefined ? call : { ...call, callId }];
  });
}

function prepare(db: Database) {
  return {
    branch: prepareBranch(db),
    conversation: db.prepare<[string], ConversationRow>('SELECT * FROM conversations WHERE conversationId = ?'),
    summed: db.prepare<[string], SummaryRow>(`${SUMMARY_SELECT} WHERE c.conversationId = ?`),
    placed: db.prepare<[string], PlacedMessageRow>(`${PLACED_SELECT} WHERE m.messageId = ?`),
    messageId: db.prepare<[number], Pick<MessageRow, 'messageId'>>('SELECT messageId FROM messages WHERE id = ?'),
    draft: db.prepare<[string, number]>('UPDATE conversations SET draft = ? WHERE id = ?'),
    given: db.prepare<[number], ResultPresentation & { readonly callId: string }>(
      'SELECT callId, letters, folding FROM given_results WHERE conversation = ?',
    ),
    streaming: db.prepare<[], { id: number; conversationId: string; workspace: string; messageId: string }>(
      `SELECT m.id, c.conversationId, c.workspace, m.messageId FROM messages m JOIN conversations c ON c.id = m.conversation
       WHERE m.state = 'streaming' ORDER BY m.id`,
    ),
  };
}
