import { createHash } from 'node:crypto';
import type { Database } from 'better-sqlite3';
import type { AuditBody, UnnumberedBody } from '../audit/audit-event.js';
import type { AuditLog, ChainTip } from '../audit/audit-log.js';
import { bodyHash } from '../audit/chain.js';

export interface ErasedCalls {
  readonly calls: number;
  readonly tip: ChainTip;
  /** Where to go on looking; null when there is nothing more to erase. */
  readonly next: ErasureCursor | null;
}

/** A place among the calls by their beginning. */
export interface ErasureCursor {
  readonly startedAt: number;
  readonly id: number;
}

export interface ErasureContext {
  /** Calls that began before. */
  readonly before: number;
  readonly limit: number;
  readonly after: ErasureCursor | null;
}

/** How many calls are looked at in one step, for each that may be erased: others may have been promised a longer time. */
const BATCH_LIMIT = 10;
const DAY_MS = 24 * 60 * 60_000;

/**
 * Forgets calls, in one transaction: first an event says how many events lose their bodies and which (a digest of
 * their hashes), then they become tombstones that name it. `verify` holds one against the other, and asks for that
 * event's signature, so that retention cannot be used to hide a single event.
 *
 * A call is kept as long as it was to be kept when it was recorded: its own first event says so, which nobody can
 * change unseen, and not the settings of today, which anybody can who writes to the data folder.
 */
export function eraseCalls(
  db: Database,
  log: AuditLog,
  tip: ChainTip,
  now: number,
  { before, limit, after }: ErasureContext,
): ErasedCalls {
  return db
    .transaction((): ErasedCalls => {
      if (after === null) db.prepare(ORPHANED_CLAIMS).run(before);
      const { calls, next } = findDueCalls(db, now, { before, limit, after });
      if (calls.length === 0) return { calls: 0, tip, next };
      const eventsOf = db.prepare<[number], { seq: number; hash: Uint8Array; body: string }>(
        'SELECT seq, hash, body FROM events WHERE call = ? AND body IS NOT NULL',
      );
      const events = calls.flatMap((call) => eventsOf.all(call)).sort((a, b) => a.seq - b.seq);
      const body: UnnumberedBody = {
        type: 'retention',
        note: `${calls.length} calls that began before ${new Date(before).toISOString()} were erased.`,
        details: { calls: calls.length, events: events.length, digest: digestEvents(events) },
      };
      const end = log.add(tip, now, [{ call: null, body }]);
      const tombstone = db.prepare<[Uint8Array, number, number]>(
        'UPDATE events SET body = NULL, erasedHash = ?, erasedBy = ? WHERE seq = ?',
      );
      for (const event of events) tombstone.run(bodyHash(event.body), end.seq, event.seq);
      for (const call of calls) {
        db.prepare('DELETE FROM calls_text WHERE rowid = ?').run(call);
        db.prepare('DELETE FROM invocations WHERE callId = (SELECT callId FROM calls WHERE id = ?)').run(call);
        db.prepare('DELETE FROM bodies WHERE call = ?').run(call);
        db.prepare('DELETE FROM calls WHERE id = ?').run(call);
      }
      return { calls: calls.length, tip: end, next };
    })
    .immediate();
}

/** A crash came before anything was recorded of their calls. */
const ORPHANED_CLAIMS =
  'DELETE FROM invocations WHERE claimedAt < ? AND NOT EXISTS (SELECT 1 FROM calls c WHERE c.callId = invocations.callId)';

function findDueCalls(
  db: Database,
  now: number,
  { before, limit, after }: ErasureContext,
): { readonly calls: readonly number[]; readonly next: ErasureCursor | null } {
  const from = after ?? { startedAt: -1, id: 0 };
  const candidates = db.prepare<[number, number, number, number], ErasureCursor & { readonly first: string | null }>(
    `SELECT c.id, c.startedAt, (SELECT body FROM events WHERE call = c.id ORDER BY seq LIMIT 1) AS first
     FROM calls c JOIN batches b ON b.id = c.batch
     WHERE c.startedAt < ? AND (c.startedAt > ? OR (c.startedAt = ? AND c.id > ?)) AND c.settled = 1 AND b.closed = 1
     ORDER BY c.startedAt, c.id`,
  );
  const calls: number[] = [];
  let looked = 0;
  for (const { id, startedAt, first } of candidates.iterate(before, from.startedAt, from.startedAt, from.id)) {
    if (isDue(first, now, before)) calls.push(id);
    looked += 1;
    if (calls.length === limit || looked === limit * BATCH_LIMIT) return { calls, next: { id, startedAt } };
  }
  return { calls, next: null };
}

/** When it began, too, is what the chain says: its row in `calls` can be edited by who wants it erased. */
function isDue(first: string | null, now: number, before: number): boolean {
  if (first === null) return false;
  const { timestamp, keepDays } = JSON.parse(first) as AuditBody;
  return timestamp < before && (keepDays === undefined || timestamp + keepDays * DAY_MS < now);
}

export function digestEvents(events: Iterable<{ readonly seq: number; readonly hash: Uint8Array }>): string {
  const digest = createHash('sha256');
  for (const event of events) digest.update(`${event.seq}:`).update(event.hash);
  return digest.digest('hex');
}
