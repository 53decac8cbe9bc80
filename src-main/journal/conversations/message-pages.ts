import type { Database } from 'better-sqlite3';
import type { ConversationSummary } from '#contract/vocabulary/conversation/conversation.js';
import type { MessagePage } from '#contract/window/conversation/conversation.js';
import { buildMatchQuery } from '../writing/search-text.js';
import {
  MessageViews,
  type PlacedMessageRow,
  SUMMARY_SELECT,
  type SummaryRow,
  toConversation,
} from './conversation-rows.js';
import { readStreamedBlocks, toStreamedView } from './streamed-pieces.js';

const MAX_PAGE = 12_000_000;

/** Messages from one up to the first. */
const UPWARDS_SELECT = `WITH RECURSIVE up (id, above) AS (
    SELECT ?, 0 UNION ALL SELECT m.parent, above + 1 FROM up JOIN messages m ON m.id = up.id WHERE m.parent IS NOT NULL
  )
  SELECT m.*, c.conversationId, p.messageId AS parentId FROM up JOIN messages m ON m.id = up.id
  JOIN conversations c ON c.id = m.conversation LEFT JOIN messages p ON p.id = m.parent`;

/** Oldest first. */
export const readBranch = (db: Database, leaf: number | null): readonly PlacedMessageRow[] =>
  leaf === null ? [] : prepareBranch(db).all(leaf);

export const prepareBranch = (db: Database) =>
  db.prepare<[number], PlacedMessageRow>(`${UPWARDS_SELECT} ORDER BY up.above DESC`);

/** Newest first, as far as it is looked at. */
export const readUpwards = (db: Database, leaf: number | null): Iterable<PlacedMessageRow> =>
  leaf === null ? [] : db.prepare<[number], PlacedMessageRow>(UPWARDS_SELECT).iterate(leaf);

/** The newest of all that came after it; itself where nothing did. */
export function readNewestBelow(db: Database, message: number): string {
  const found = db
    .prepare<[number], { readonly messageId: string }>(
      `WITH RECURSIVE down (id) AS (
         SELECT ? UNION ALL
         SELECT m.id FROM down JOIN messages p ON p.id = down.id
         JOIN messages m ON m.conversation = p.conversation AND m.parent = p.id
       )
       SELECT messageId FROM messages WHERE id = (SELECT max(id) FROM down)`,
    )
    .get(message);
  if (found === undefined) throw new Error(`There is no message number ${message}.`);
  return found.messageId;
}

/** The newest `limit` of the branch that is shown, or those before one; nothing where there is no such conversation. */
export function readMessages(db: Database, id: string, limit: number, before: string | null): MessagePage {
  const from = findStart(db, id, before);
  if (from === null) return { messages: [], more: false };
  const { rows, more } = readNewestFrom(db, from, limit);
  const views = new MessageViews(db);
  const messages = rows
    .map((row) =>
      row.state === 'streaming' ? views.of(row, toStreamedView(readStreamedBlocks(db, row.id))) : views.of(row),
    )
    .toReversed();
  return { messages, more };
}

/** Pictures are long: what a page has of them is bounded too, but one message is always on it. */
function readNewestFrom(
  db: Database,
  from: number,
  limit: number,
): { readonly rows: readonly PlacedMessageRow[]; readonly more: boolean } {
  const rows: PlacedMessageRow[] = [];
  let length = 0;
  for (const row of db
    .prepare<[number, number], PlacedMessageRow>(`${UPWARDS_SELECT} LIMIT ?`)
    .iterate(from, limit + 1)) {
    length += row.content.length;
    if (rows.length === limit || (rows.length > 0 && length > MAX_PAGE)) return { rows, more: true };
    rows.push(row);
  }
  return { rows, more: false };
}

function findStart(db: Database, id: string, before: string | null): number | null {
  const row =
    before === null
      ? db
          .prepare<[string], { readonly start: number | null }>(
            'SELECT leaf AS start FROM conversations WHERE conversationId = ? AND removedAt IS NULL',
          )
          .get(id)
      : db
          .prepare<[string, string], { readonly start: number | null }>(
            `SELECT m.parent AS start FROM messages m JOIN conversations c ON c.id = m.conversation
             WHERE m.messageId = ? AND c.conversationId = ? AND c.removedAt IS NULL`,
          )
          .get(before, id);
  return row?.start ?? null;
}

/**
 * Reads the conversations of a folder, the one that changed last first; with words, those where a message has them all,
 * or the title.
 */
export function readConversations(db: Database, workspace: string, query: string): readonly ConversationSummary[] {
  const rows = db
    .prepare<[string], SummaryRow>(
      `${SUMMARY_SELECT} WHERE c.workspace = ? AND c.removedAt IS NULL ORDER BY c.changedAt DESC, c.id DESC`,
    )
    .all(workspace);
  const words = query
    .toLocaleLowerCase()
    .split(/\s+/u)
    .filter((word) => word !== '');
  if (words.length === 0) return rows.map(toConversation);
  const match = buildMatchQuery(query);
  const saying = new Set(match === null ? [] : findConversationsWith(db, match));
  return rows
    .filter(({ id, title }) => saying.has(id) || words.every((word) => title.toLocaleLowerCase().includes(word)))
    .map(toConversation);
}

const findConversationsWith = (db: Database, match: string): readonly number[] =>
  db
    .prepare<[string], { readonly conversation: number }>(
      `SELECT DISTINCT m.conversation FROM messages_text t CROSS JOIN messages m ON m.id = t.rowid WHERE messages_text MATCH ?`,
    )
    .all(match)
    .map(({ conversation }) => conversation);
