import { createHash } from 'node:crypto';
import type { Database } from 'better-sqlite3';
import type { AuditLog, ChainTip } from './audit-log.js';
import { bodyHash } from './chain.js';

export interface Erased {
  readonly calls: number;
  readonly tip: ChainTip;
}

/**
 * Forgets calls, in one transaction: first an event says how many events lose their bodies and which (a digest of
 * their hashes), then they become tombstones that name it. `verify` holds one against the other, so that retention
 * cannot be used to hide a single event.
 */
export function eraseCalls(
  db: Database,
  log: AuditLog,
  tip: ChainTip,
  now: number,
  before: number,
  limit: number,
): Erased {
  return db
    .transaction((): Erased => {
      const calls = db
        .prepare<[number, number], { readonly id: number }>(
          `SELECT c.id FROM calls c JOIN batches b ON b.id = c.batch
           WHERE c.startedAt < ? AND c.settled = 1 AND b.closed = 1 ORDER BY c.startedAt LIMIT ?`,
        )
        .all(before, limit)
        .map((row) => row.id);
      if (calls.length === 0) return { calls: 0, tip };
      const eventsOf = db.prepare<[number], { seq: number; hash: Uint8Array; body: string }>(
        'SELECT seq, hash, body FROM events WHERE call = ? AND body IS NOT NULL',
      );
      const events = calls.flatMap((call) => eventsOf.all(call)).sort((a, b) => a.seq - b.seq);
      const next = log.add(tip, null, now, {
        type: 'retention',
        note: `${calls.length} calls that began before ${new Date(before).toISOString()} were erased.`,
        details: { calls: calls.length, events: events.length, digest: digestOf(events) },
      });
      const tombstone = db.prepare<[Uint8Array, number, number]>(
        'UPDATE events SET body = NULL, erasedHash = ?, erasedBy = ? WHERE seq = ?',
      );
      for (const event of events) tombstone.run(bodyHash(event.body), next.seq, event.seq);
      for (const call of calls) {
        db.prepare('DELETE FROM calls_text WHERE rowid = ?').run(call);
        db.prepare('DELETE FROM bodies WHERE call = ?').run(call);
        db.prepare('DELETE FROM calls WHERE id = ?').run(call);
      }
      return { calls: calls.length, tip: next };
    })
    .immediate();
}

export function digestOf(events: Iterable<{ readonly seq: number; readonly hash: Uint8Array }>): string {
  const digest = createHash('sha256');
  for (const event of events) digest.update(`${event.seq}:`).update(event.hash);
  return digest.digest('hex');
}
