import type { Database } from 'better-sqlite3';
import type { UnnumberedBody } from '../audit/audit-event.js';
import type { AuditLog, ChainTip } from '../audit/audit-log.js';

const DAY_MS = 24 * 60 * 60_000;
/** How long a conversation that was deleted can be had back. */
const REMOVED_FOR_MS = DAY_MS;
/** A conversation may be long: one at a time. */
const AT_ONCE = 1;

export interface ErasedConversations {
  readonly conversations: number;
  readonly tip: ChainTip;
}

/**
 * Forgets one conversation that was deleted a day ago, or in which nothing happened since `before` and as long as it was to
 * be kept when it began. The chain holds ids and hashes of what was said and no words: it stays whole, and says what was
 * erased. Calls are kept and forgotten as calls.
 */
export function eraseConversations(
  db: Database,
  log: AuditLog,
  tip: ChainTip,
  now: number,
  before: number,
): ErasedConversations {
  // What is freed is overwritten.
  db.pragma('secure_delete = ON');
  return db
    .transaction((): ErasedConversations => {
      const due = db
        .prepare<[number, number, number], { readonly id: number; readonly conversationId: string }>(
          `SELECT id, conversationId FROM conversations c
           WHERE (removedAt < ? OR (changedAt < ? AND changedAt + coalesce(keepDays, 0) * ${DAY_MS} < ?))
           AND NOT EXISTS (SELECT 1 FROM messages m WHERE m.conversation = c.id AND m.state = 'streaming')
           ORDER BY id LIMIT ${AT_ONCE}`,
        )
        .all(now - REMOVED_FOR_MS, before, now);
      if (due.length === 0) return { conversations: 0, tip };
      const entries = due.map(({ id, conversationId }) => ({
        call: null,
        body: erasedBody(conversationId, eraseOne(db, id)),
      }));
      return { conversations: due.length, tip: log.add(tip, now, entries) };
    })
    .immediate();
}

/** Gives how many messages it had. */
function eraseOne(db: Database, id: number): number {
  db.prepare('DELETE FROM messages_text WHERE rowid IN (SELECT id FROM messages WHERE conversation = ?)').run(id);
  const { changes } = db.prepare('DELETE FROM messages WHERE conversation = ?').run(id);
  db.prepare('DELETE FROM given_results WHERE conversation = ?').run(id);
  db.prepare('DELETE FROM conversations WHERE id = ?').run(id);
  return changes;
}

const erasedBody = (conversationId: string, messages: number): UnnumberedBody => ({
  type: 'conversation-erased',
  note: 'A conversation was erased with its messages.',
  details: { conversationId, messages },
});

/** A step of putting the words that search goes by together anew, so that what was deleted of them is gone; false at the end. */
export function mergeSearchWords(db: Database): boolean {
  const changes = (): number => db.prepare<[], { n: number }>('SELECT total_changes() AS n').get()?.n ?? 0;
  const before = changes();
  db.prepare("INSERT INTO messages_text (messages_text, rank) VALUES ('merge', -500)").run();
  return changes() - before >= 2;
}
