import type { Database } from 'better-sqlite3';
import type { PersonPart, StoredBlock } from '../../domain/conversation/message.js';
import {
  describeAttachment,
  type GivenText,
  type AttributedText,
  addGivenText,
} from '../../domain/policy/given-texts.js';

interface BranchRow {
  readonly role: 'person' | 'assistant';
  /** Null where nothing of it can be foreign. */
  readonly content: string | null;
}

/**
 * Finds the texts of a conversation that its model is given with each request though the person did not write them:
 * unfolded results on the branch that is shown, and what the person attached. A folded one counts until the person
 * writes again: what the model wrote after it is still there. They are read from what is kept, so that no time ends
 * them.
 */
export class StillSent {
  readonly #statements: ReturnType<typeof prepare>;

  constructor(db: Database) {
    this.#statements = prepare(db);
  }

  /** The oldest first. */
  of(conversationId: string): readonly GivenText[] {
    const { anyForeign, branch } = this.#statements;
    if (anyForeign.get({ conversationId }) === undefined) return [];
    const texts: AttributedText[] = [];
    let personSpoke = false;
    for (const { role, content } of branch.iterate(conversationId)) {
      if (content !== null) {
        const parts = JSON.parse(content) as readonly PersonPart[] | readonly StoredBlock[];
        texts.push(...parts.flatMap((part) => this.#textOf(part, personSpoke)).toReversed());
      }
      personSpoke ||= role === 'person';
    }
    return texts
      .toReversed()
      .map((text) => ({ ...text, session: conversationId }))
      .reduce<readonly GivenText[]>(addGivenText, []);
  }

  /** The calls of the branch whose results are sent whole. */
  unfolded(conversationId: string): readonly string[] {
    return this.#statements.unfolded.all(conversationId).map(({ callId }) => callId);
  }

  #textOf(part: PersonPart | StoredBlock, personSpoke: boolean): readonly AttributedText[] {
    switch (part.kind) {
      case 'file':
      case 'picture':
      case 'resource':
        return [describeAttachment(part)];
      case 'call': {
        const { callId } = part;
        const row = callId === undefined ? undefined : this.#statements.result.get(callId);
        if (row === undefined || (row.folding === 'folded' && personSpoke)) return [];
        return [JSON.parse(row.said) as AttributedText];
      }
      case 'text':
      case 'reasoning':
        return [];
    }
  }
}

const BRANCH_SELECT = `
  WITH RECURSIVE up (id, parent, role, content) AS (
    SELECT m.id, m.parent, m.role, m.content FROM conversations c JOIN messages m ON m.id = c.leaf WHERE c.conversationId = ?
    UNION ALL
    SELECT m.id, m.parent, m.role, m.content FROM up JOIN messages m ON m.id = up.parent
  )`;

const prepare = (db: Database) => ({
  anyForeign: db.prepare<[{ readonly conversationId: string }]>(
    `SELECT 1 FROM batches b JOIN calls c ON c.batch = b.id
     WHERE b.sessionId = @conversationId AND b.door = 'conversation' AND c.said <> ''
     UNION ALL
     SELECT 1 FROM conversations c JOIN messages m ON m.conversation = c.id
     WHERE c.conversationId = @conversationId AND m.role = 'person'
       AND (m.content LIKE '%"kind":"file"%' OR m.content LIKE '%"kind":"resource"%' OR m.content LIKE '%"kind":"picture"%')
     LIMIT 1`,
  ),
  branch: db.prepare<[string], BranchRow>(
    `${BRANCH_SELECT}
     SELECT role, CASE WHEN content LIKE '%"kind":"call"%' OR content LIKE '%"kind":"file"%'
       OR content LIKE '%"kind":"resource"%' OR content LIKE '%"kind":"picture"%' THEN content END AS content FROM up`,
  ),
  unfolded: db.prepare<[string], { readonly callId: string }>(
    `${BRANCH_SELECT}
     SELECT c.callId FROM up JOIN json_each(up.content) b ON up.role = 'assistant'
     JOIN calls c ON c.callId = json_extract(b.value, '$.callId')
     LEFT JOIN given_results g ON g.callId = c.callId
     WHERE c.said <> '' AND COALESCE(g.folding, 'none') <> 'folded'`,
  ),
  result: db.prepare<[string], { readonly said: string; readonly folding: string | null }>(
    `SELECT c.said, g.folding FROM calls c LEFT JOIN given_results g ON g.callId = c.callId
     WHERE c.callId = ? AND c.said <> ''`,
  ),
});
