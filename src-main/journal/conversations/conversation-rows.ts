import type { Database } from 'better-sqlite3';
import type { AskingPreset } from '#contract/vocabulary/conversation/asking-preset.js';
import type {
  ConversationMessage,
  ConversationSummary,
  MessageBlock,
  MessageFoot,
  ModelChoice,
} from '#contract/vocabulary/conversation/conversation.js';
import type { AnswerEnd, PersonPart, StoredBlock, StoredMessage } from '../../domain/conversation/message.js';
import { makeSummary } from '../../domain/conversation/title.js';
import { sha256 } from '../../platform/digest.js';

export interface ConversationRow {
  readonly id: number;
  readonly conversationId: string;
  readonly workspace: string;
  readonly title: string;
  /** The person gave the title. */
  readonly named: number;
  readonly demo: number;
  readonly startedAt: number;
  readonly changedAt: number;
  /** JSON. */
  readonly model: string | null;
  readonly asking: AskingPreset | null;
  readonly draft: string;
  readonly leaf: number | null;
  readonly removedAt: number | null;
}

/** A conversation with the last text in it. */
export interface SummaryRow extends ConversationRow {
  readonly last: string | null;
}

/** The last text of its last message: calls, reasoning and files are not what was said. */
export const SUMMARY_SELECT = `SELECT c.*, (
    SELECT substr(json_extract(part.value, '$.text'), 1, 1000) FROM messages m, json_each(m.content) part
    WHERE m.id = c.leaf AND json_extract(part.value, '$.kind') = 'text' ORDER BY part.key DESC LIMIT 1
  ) AS last FROM conversations c`;

export interface MessageRow {
  readonly id: number;
  readonly messageId: string;
  readonly conversation: number;
  readonly parent: number | null;
  readonly role: ConversationMessage['role'];
  readonly at: number;
  readonly state: AnswerEnd['state'];
  /** JSON: the parts of what a person said, the blocks of an answer. */
  readonly content: string;
  /** JSON. */
  readonly failure: string | null;
  /** JSON. */
  readonly foot: string | null;
}

/** A message with the ids that it is shown with. */
export interface PlacedMessageRow extends MessageRow {
  readonly conversationId: string;
  readonly parentId: string | null;
}

export const PLACED_SELECT = `SELECT m.*, c.conversationId, p.messageId AS parentId FROM messages m
  JOIN conversations c ON c.id = m.conversation LEFT JOIN messages p ON p.id = m.parent`;

export const toConversation = (row: SummaryRow): ConversationSummary => ({
  id: row.conversationId,
  workspace: row.workspace,
  title: row.title,
  summary: makeSummary(row.last ?? ''),
  startedAt: row.startedAt,
  changedAt: row.changedAt,
  model: row.model === null ? null : (JSON.parse(row.model) as ModelChoice),
  asking: row.asking,
  demo: row.demo !== 0,
  draft: row.draft,
});

export const toMessage = (row: PlacedMessageRow): StoredMessage => ({
  id: row.messageId,
  conversationId: row.conversationId,
  parent: row.parentId,
  at: row.at,
  said:
    row.role === 'person'
      ? { by: 'person', parts: JSON.parse(row.content) as readonly PersonPart[] }
      : {
          by: 'assistant',
          blocks: JSON.parse(row.content) as readonly StoredBlock[],
          end: { state: row.state, failure: readFailure(row) },
          foot: row.foot === null ? null : (JSON.parse(row.foot) as MessageFoot),
        },
});

const readFailure = ({ failure }: MessageRow): AnswerEnd['failure'] =>
  failure === null ? null : (JSON.parse(failure) as AnswerEnd['failure']);

/** The hash of what is shown of a message; its last event holds it. */
export const hashMessage = ({
  role,
  state,
  content,
  failure,
  foot,
}: Omit<MessageRow, 'id' | 'messageId' | 'conversation' | 'parent' | 'at'>): string =>
  sha256(JSON.stringify([role, state, content, failure, foot]));

/** Messages as the window sees them: each with its place among its branches, and which results are folded. */
export class MessageViews {
  readonly #siblings;
  readonly #folded;

  constructor(db: Database) {
    this.#siblings = db.prepare<[number, number | null], { readonly id: number; readonly messageId: string }>(
      'SELECT id, messageId FROM messages WHERE conversation = ? AND parent IS ? ORDER BY id',
    );
    this.#folded = db.prepare<[string], { readonly callId: string }>(
      "SELECT callId FROM given_results WHERE callId = ? AND folding = 'folded'",
    );
  }

  /** `blocks`: of an answer in progress, what came of it. */
  of(row: PlacedMessageRow, blocks?: readonly MessageBlock[]): ConversationMessage {
    const { said } = toMessage(row);
    return {
      id: row.messageId,
      conversationId: row.conversationId,
      role: row.role,
      at: row.at,
      blocks: blocks ?? (said.by === 'person' ? said.parts : said.blocks.map((block) => this.#block(block))),
      state: row.state,
      failure: readFailure(row),
      foot: said.by === 'person' ? null : said.foot,
      branch: this.#branch(row),
    };
  }

  #block(block: StoredBlock): MessageBlock {
    if (block.kind !== 'call') return { kind: block.kind, text: block.text };
    const { callId = null, name } = block;
    return { kind: 'call', callId, tool: name, folded: callId !== null && this.#folded.get(callId) !== undefined };
  }

  #branch({ id, conversation, parent }: PlacedMessageRow): ConversationMessage['branch'] {
    const all = this.#siblings.all(conversation, parent);
    const at = all.findIndex((each) => each.id === id);
    return {
      at: at + 1,
      of: all.length,
      previous: all[at - 1]?.messageId ?? null,
      next: all[at + 1]?.messageId ?? null,
    };
  }
}
