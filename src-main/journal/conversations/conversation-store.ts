import type { Database } from 'better-sqlite3';
import type { ConversationChange, ConversationEvent } from '../../domain/conversation/conversation-events.js';
import type { PersonPart, StoredBlock } from '../../domain/conversation/message.js';
import { makeTitle } from '../../domain/conversation/title.js';
import type { UnnumberedBody } from '../audit/audit-event.js';
import { sha256 } from '../../platform/digest.js';
import type { Redact } from '../writing/redaction.js';
import { headAndTail } from '../writing/search-text.js';
import { type ConversationRow, hashMessage, type MessageRow } from './conversation-rows.js';

/** When and where in the chain a fact is written, and how long what is recorded now is to be kept. */
export interface WrittenRow {
  readonly at: number;
  readonly seq: number;
  readonly keepDays: number | null;
}

type ConversationEventOf<Type extends ConversationEvent['type']> = Extract<ConversationEvent, { readonly type: Type }>;

/** The writes of an append, inside its transaction. It gives what stands in the chain: ids and hashes, and no words. */
export class ConversationStore {
  readonly #statements: ReturnType<typeof prepare>;
  readonly #redact: Redact;

  constructor(db: Database, redact: Redact) {
    this.#statements = prepare(db);
    this.#redact = redact;
  }

  apply(event: ConversationEvent, written: WrittenRow): UnnumberedBody {
    const { type, conversationId } = event;
    switch (type) {
      case 'conversation-begun': {
        const { workspace, demo } = event;
        const { at, keepDays } = written;
        this.#statements.begin.run({ conversationId, workspace, demo: demo ? 1 : 0, at, keepDays });
        return { type, details: { conversationId, workspace, demo } };
      }
      case 'conversation-changed':
        return {
          type,
          details: { conversationId, ...this.#change(this.#conversation(conversationId), event.change, written.at) },
        };
      case 'message-added':
        return { type, details: { conversationId, messageId: event.messageId, ...this.#addMessage(event, written) } };
      case 'answer-begun':
        return { type, details: { conversationId, messageId: event.messageId, ...this.#beginAnswer(event, written) } };
      case 'answer-ended':
        return { type, details: { conversationId, messageId: event.messageId, ...this.#endAnswer(event, written) } };
    }
  }

  #conversation(conversationId: string): ConversationRow {
    const row = this.#statements.conversation.get(conversationId);
    if (row === undefined) throw new Error(`The journal has no conversation ${conversationId}.`);
    return row;
  }

  #message(messageId: string, { id }: ConversationRow): MessageRow {
    const row = this.#statements.message.get(messageId);
    if (row?.conversation !== id) throw new Error(`The journal has no message ${messageId} in that conversation.`);
    return row;
  }

  #addMessage(event: ConversationEventOf<'message-added'>, { at, seq }: WrittenRow) {
    const conversation = this.#conversation(event.conversationId);
    const parent = event.parent === null ? null : this.#message(event.parent, conversation);
    const said = {
      role: 'person',
      state: 'whole',
      content: JSON.stringify(event.parts),
      failure: null,
      foot: null,
    } as const;
    const message = this.#statements.addMessage.run({
      messageId: event.messageId,
      conversation: conversation.id,
      parent: parent?.id ?? null,
      at,
      ...said,
      seq,
    });
    const id = Number(message.lastInsertRowid);
    this.#index(id, joinPartTexts(event.parts));
    if (conversation.named === 0 && conversation.title === '')
      this.#statements.name.run(makeTitle(event.parts), 0, conversation.id);
    this.#statements.leaf.run(id, at, conversation.id);
    return { parent: event.parent, hash: hashMessage(said) };
  }

  #beginAnswer(event: ConversationEventOf<'answer-begun'>, { at, seq }: WrittenRow) {
    const conversation = this.#conversation(event.conversationId);
    const parent = this.#message(event.parent, conversation);
    const said = { role: 'assistant', state: 'streaming', content: '[]', failure: null, foot: null } as const;
    const { lastInsertRowid } = this.#statements.addMessage.run({
      messageId: event.messageId,
      conversation: conversation.id,
      parent: parent.id,
      at,
      ...said,
      seq,
    });
    this.#statements.leaf.run(Number(lastInsertRowid), at, conversation.id);
    return { parent: event.parent, model: this.#redact(event.model).value };
  }

  #endAnswer(event: ConversationEventOf<'answer-ended'>, { at, seq }: WrittenRow) {
    const conversation = this.#conversation(event.conversationId);
    const before = this.#message(event.messageId, conversation);
    if (before.state !== 'streaming')
      throw new Error(`Answer ${event.messageId} is ${before.state}; it can’t end again.`);
    const { state, failure } = event.end;
    const said = {
      role: 'assistant',
      state,
      content: JSON.stringify(event.blocks),
      failure: failure === null ? null : JSON.stringify(failure),
      foot: event.foot === null ? null : JSON.stringify(event.foot),
    } as const;
    this.#statements.endMessage.run({ ...said, seq, id: before.id });
    this.#statements.forgetStreamed.run(before.id);
    this.#index(before.id, joinBlockTexts(event.blocks));
    this.#statements.touch.run(at, conversation.id);
    return {
      state,
      calls: event.blocks.flatMap((block) =>
        block.kind === 'call' && block.callId !== undefined ? [block.callId] : [],
      ),
      hash: hashMessage(said),
    };
  }

  #change(
    conversation: ConversationRow,
    change: ConversationChange,
    at: number,
  ): NonNullable<UnnumberedBody['details']> {
    const { id } = conversation;
    const { what } = change;
    switch (what) {
      case 'renamed':
        this.#statements.name.run(change.title, 1, id);
        this.#statements.touch.run(at, id);
        return { what, hash: sha256(change.title) };
      case 'model-chosen':
        this.#statements.model.run(change.model === null ? null : JSON.stringify(change.model), id);
        return { what, model: change.model === null ? null : { ...change.model } };
      case 'asking-set':
        this.#statements.asking.run(change.asking, id);
        return { what, asking: change.asking };
      case 'removed':
        this.#statements.remove.run(at, id);
        return { what };
      case 'restored':
        this.#statements.remove.run(null, id);
        return { what };
      case 'leaf-shown':
        this.#statements.leaf.run(this.#message(change.messageId, conversation).id, at, id);
        return { what, messageId: change.messageId };
      case 'folded':
        for (const call of change.calls) this.#statements.folding.run({ call, id, folding: 'folded' });
        return { what, calls: change.calls };
      case 'unfolded':
        this.#statements.folding.run({ call: change.call, id, folding: 'wanted-whole' });
        return { what, calls: [change.call] };
      case 'framed':
        for (const { call, letters } of change.frames) this.#statements.frame.run({ call, id, letters });
        return { what, calls: change.frames.map(({ call }) => call) };
    }
  }

  #index(id: number, text: string): void {
    if (text !== '') this.#statements.index.run(id, this.#redact(headAndTail(text)).value);
  }
}

const joinPartTexts = (parts: readonly PersonPart[]): string =>
  parts
    .flatMap((part): readonly string[] => {
      switch (part.kind) {
        case 'picture':
          return [];
        case 'text':
          return [part.text];
        case 'file':
          return [part.path, part.text];
        case 'resource':
          return [part.name, part.uri, part.text];
      }
    })
    .join('\n');

/** The text of a message's blocks. Arguments of its calls are found in the history of calls. */
const joinBlockTexts = (blocks: readonly StoredBlock[]): string =>
  blocks.flatMap((block) => (block.kind === 'text' ? [block.text] : [])).join('\n');

function prepare(db: Database) {
  return {
    conversation: db.prepare<[string], ConversationRow>('SELECT * FROM conversations WHERE conversationId = ?'),
    message: db.prepare<[string], MessageRow>('SELECT * FROM messages WHERE messageId = ?'),
    begin: db.prepare(
      `INSERT INTO conversations (conversationId, workspace, demo, startedAt, changedAt, keepDays)
       VALUES (@conversationId, @workspace, @demo, @at, @at, @keepDays)`,
    ),
    addMessage: db.prepare(
      `INSERT INTO messages (messageId, conversation, parent, role, at, state, content, failure, foot, begun, event)
       VALUES (@messageId, @conversation, @parent, @role, @at, @state, @content, @failure, @foot, @seq, @seq)`,
    ),
    endMessage: db.prepare(
      'UPDATE messages SET state = @state, content = @content, failure = @failure, foot = @foot, event = @seq WHERE id = @id',
    ),
    forgetStreamed: db.prepare<[number]>('DELETE FROM streamed WHERE message = ?'),
    index: db.prepare<[number, string]>('INSERT INTO messages_text (rowid, said) VALUES (?, ?)'),
    name: db.prepare<[string, number, number]>('UPDATE conversations SET title = ?, named = ? WHERE id = ?'),
    leaf: db.prepare<[number, number, number]>('UPDATE conversations SET leaf = ?, changedAt = ? WHERE id = ?'),
    touch: db.prepare<[number, number]>('UPDATE conversations SET changedAt = ? WHERE id = ?'),
    model: db.prepare<[string | null, number]>('UPDATE conversations SET model = ? WHERE id = ?'),
    asking: db.prepare<[string | null, number]>('UPDATE conversations SET asking = ? WHERE id = ?'),
    remove: db.prepare<[number | null, number]>('UPDATE conversations SET removedAt = ? WHERE id = ?'),
    folding: db.prepare(
      `INSERT INTO given_results (callId, conversation, folding) VALUES (@call, @id, @folding)
       ON CONFLICT (callId) DO UPDATE SET folding = excluded.folding WHERE conversation = excluded.conversation`,
    ),
    frame: db.prepare(
      `INSERT INTO given_results (callId, conversation, letters) VALUES (@call, @id, @letters)
       ON CONFLICT (callId) DO UPDATE SET letters = excluded.letters WHERE conversation = excluded.conversation`,
    ),
  };
}
