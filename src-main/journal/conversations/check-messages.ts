import type { Database } from 'better-sqlite3';
import type { AuditVerdict } from '#contract/vocabulary/telemetry.js';
import type { AuditBody } from '../audit/audit-event.js';
import { hashMessage, type PlacedMessageRow } from './conversation-rows.js';

const AT_ONCE = 500;

interface CheckedRow extends PlacedMessageRow {
  readonly event: number;
  /** JSON: of the event that it began with, and of the last one. */
  readonly first: string | null;
  readonly last: string | null;
}

/**
 * Holds each message against the event that recorded it: the chain has its hash, and how many there are. `walked`: what the
 * chain says up to an event.
 */
export function* checkMessages(
  db: Database,
  walked: { readonly seq: number; readonly messages: number },
): Generator<undefined, AuditVerdict | null> {
  const missing = countMissing(db, walked);
  if (missing > 0) {
    const reason = `${missing} ${missing === 1 ? 'message was' : 'messages were'} deleted, and no event says so.`;
    return { ok: false, firstBad: walked.seq, reason };
  }
  const page = db.prepare<[number], CheckedRow>(
    `SELECT m.*, c.conversationId, p.messageId AS parentId, f.body AS first, l.body AS last FROM messages m
     LEFT JOIN conversations c ON c.id = m.conversation LEFT JOIN messages p ON p.id = m.parent
     LEFT JOIN events f ON f.seq = m.begun LEFT JOIN events l ON l.seq = m.event
     WHERE m.id > ? ORDER BY m.id LIMIT ${AT_ONCE}`,
  );
  for (let rows = page.all(0); rows.length > 0; rows = page.all(rows.at(-1)?.id ?? 0)) {
    for (const row of rows) {
      const reason = findMessageProblem(row);
      if (reason !== null) return { ok: false, firstBad: row.event, reason };
    }
    yield;
  }
  return null;
}

function findMessageProblem(row: CheckedRow): string | null {
  const [first, last] = [readDetails(row.first), readDetails(row.last)];
  if (first['messageId'] !== row.messageId || last['messageId'] !== row.messageId)
    return `Message ${row.messageId} is not recorded where it says.`;
  if (first['conversationId'] !== row.conversationId || first['parent'] !== row.parentId)
    return `Message ${row.messageId} stands elsewhere than it was recorded.`;
  // Of an answer that is still being written nothing is recorded but that it began.
  const isSame = row.state === 'streaming' ? !('hash' in last) : last['hash'] === hashMessage(row);
  return isSame ? null : `What is shown of message ${row.messageId} is not what was recorded.`;
}

const readDetails = (body: string | null): NonNullable<AuditBody['details']> =>
  (body === null ? undefined : (JSON.parse(body) as AuditBody).details) ?? {};

/**
 * The number of recorded messages that are missing. Where some were erased since the chain was verified this is no
 * evidence: the next verification tells.
 */
function countMissing(db: Database, { seq, messages }: { readonly seq: number; readonly messages: number }): number {
  const look = db.transaction(() => {
    const since = db
      .prepare<[number], { readonly n: number }>(
        `SELECT count(*) AS n FROM events WHERE seq > ? AND body ->> 'type' = 'conversation-erased'`,
      )
      .get(seq);
    const kept = db
      .prepare<[number], { readonly n: number }>('SELECT count(*) AS n FROM messages WHERE begun <= ?')
      .get(seq);
    return since?.n === 0 ? messages - (kept?.n ?? 0) : 0;
  });
  return look();
}
