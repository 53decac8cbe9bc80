import type { Database } from 'better-sqlite3';
import { sha256 } from '../../platform/digest.js';
import type { AuditEntry, AuditLog, ChainTip } from '../audit/audit-log.js';
import type { UnnumberedBody } from '../audit/audit-event.js';
import { bodyHash, hashArguments } from '../audit/chain.js';
import type { BatchRow, CallRow } from './call-row.js';
import { type Cleaned, searchableOf } from './from-before.js';
import type { Redact } from './redaction.js';
import { digestOf } from './retention.js';
import { indexText } from './search-text.js';
import { SHOWN_TEXT, shownHash, type ShownRow } from './shown-hash.js';

interface Writing {
  readonly log: AuditLog;
  readonly tip: ChainTip;
  readonly now: number;
  readonly redact: Redact;
}

/**
 * Takes what looked like secrets out of calls that are recorded whole, in one transaction: each gets an event that says so,
 * with the hashes of what it is now, so that its last event goes on knowing what is shown of it. Events whose own words
 * held some become tombstones that name a retention event, as those of calls that are forgotten do. What is freed is
 * overwritten.
 */
export function eraseSecrets(db: Database, calls: readonly Cleaned[], { log, tip, now, redact }: Writing): ChainTip {
  db.pragma('secure_delete = ON');
  return db
    .transaction((): ChainTip => {
      const due = calls.flatMap((cleaned) => asFound(db, cleaned));
      if (due.length === 0) return tip;
      for (const { cleaned, call } of due) rewrite(db, cleaned, call, redact);
      const said = log.add(
        tip,
        now,
        due.map(({ cleaned, call }) => saidOf(db, cleaned, call)),
      );
      const events = due
        .flatMap(({ cleaned }) => cleaned.events)
        .flatMap((seq) => eventAt(db, seq))
        .sort((a, b) => a.seq - b.seq);
      if (events.length === 0) return said;
      const body: UnnumberedBody = {
        type: 'retention',
        note: `Words of ${events.length} events that held what looked like secrets were erased.`,
        details: { calls: 0, events: events.length, digest: digestOf(events) },
      };
      const end = log.add(said, now, [{ call: null, body }]);
      const tombstone = db.prepare<[Uint8Array, number, number]>(
        'UPDATE events SET body = NULL, erasedHash = ?, erasedBy = ? WHERE seq = ?',
      );
      for (const event of events) tombstone.run(bodyHash(event.body), end.seq, event.seq);
      return end;
    })
    .immediate();
}

interface Due {
  readonly cleaned: Cleaned;
  readonly call: CallRow & Pick<BatchRow, 'batchId'>;
}

/** It may have been forgotten meanwhile. */
function asFound(db: Database, cleaned: Cleaned): readonly Due[] {
  const call = db
    .prepare<[number], Due['call'] & Cleaned['found']>(
      `SELECT c.*, b.batchId, d.arguments, d.result FROM calls c JOIN batches b ON b.id = c.batch JOIN bodies d ON d.call = c.id
       WHERE c.id = ?`,
    )
    .get(cleaned.id);
  const { found } = cleaned;
  return call?.arguments === found.arguments && call.result === found.result ? [{ cleaned, call }] : [];
}

function rewrite(db: Database, cleaned: Cleaned, { id, tool }: CallRow, redact: Redact): void {
  const { call, body, places } = cleaned;
  db.prepare(
    `UPDATE bodies SET arguments = @arguments, originalArguments = @originalArguments, failure = @failure, result = @result,
     structured = @structured, changedFiles = @changedFiles WHERE call = @id`,
  ).run({ ...body, id });
  db.prepare(
    `UPDATE calls SET summary = @summary, reason = @reason, inputHash = @inputHash, redactions = redactions + @places
     WHERE id = @id`,
  ).run({ ...call, inputHash: hashArguments(body.arguments), places, id });
  db.prepare('DELETE FROM calls_text WHERE rowid = ?').run(id);
  db.prepare('INSERT INTO calls_text (rowid, tool, arguments, result, files, reason) VALUES (?, ?, ?, ?, ?, ?)').run(
    id,
    ...indexText(searchableOf(cleaned, tool), redact),
  );
}

function saidOf(db: Database, { body, places }: Cleaned, call: Due['call']): AuditEntry {
  const shown = db
    .prepare<[number], ShownRow>(
      `SELECT ${SHOWN_TEXT} AS shown, c.durationMs, c.cpuMs FROM calls c
       LEFT JOIN batches b ON b.id = c.batch LEFT JOIN bodies d ON d.call = c.id WHERE c.id = ?`,
    )
    .get(call.id);
  return {
    call: call.id,
    body: {
      type: 'secrets-erased',
      batchId: call.batchId,
      executionId: call.callId,
      toolId: call.toolId ?? call.tool,
      toolVersion: call.toolVersion ?? 'unknown',
      state: call.state,
      capabilities: JSON.parse(call.capabilities) as readonly string[],
      inputHash: hashArguments(body.arguments),
      ...(body.result === null ? {} : { outputHash: sha256(body.result) }),
      ...(shown === undefined ? {} : { shownHash: shownHash(shown) }),
      note: `You had what looked like secrets erased from it: ${places} ${places === 1 ? 'place' : 'places'}.`,
      redacted: places,
    },
  };
}

function eventAt(
  db: Database,
  seq: number,
): readonly { readonly seq: number; readonly hash: Uint8Array; readonly body: string }[] {
  return db
    .prepare<[number], { seq: number; hash: Uint8Array; body: string }>(
      'SELECT seq, hash, body FROM events WHERE seq = ? AND body IS NOT NULL',
    )
    .all(seq);
}

export type SearchIndex = 'calls_text' | 'messages_text';

/** A step of putting the words that search goes by together anew, so that what was deleted of them is gone; false at the end. */
export function mergeSearchWords(db: Database, index: SearchIndex): boolean {
  const changes = (): number => db.prepare<[], { n: number }>('SELECT total_changes() AS n').get()?.n ?? 0;
  const before = changes();
  db.prepare(`INSERT INTO ${index} (${index}, rank) VALUES ('merge', -500)`).run();
  return changes() - before >= 2;
}
