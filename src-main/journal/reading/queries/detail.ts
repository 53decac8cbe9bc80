import type { Database } from 'better-sqlite3';
import type { CallDetail, LifecycleEventView } from '#contract/vocabulary/calls.js';
import type { HookRun } from '#contract/vocabulary/hooks.js';
import type { JsonObject } from '#contract/vocabulary/json.js';
import type { Failure } from '#contract/vocabulary/outcomes.js';
import type { AuditBody } from '../../audit/audit-event.js';
import { readCredential } from '../../writing/asker-row.js';
import { readAftermath, type BodyRow, readChangedFiles, toSummary, readUndoes } from '../../writing/call-row.js';
import { hex } from '../../audit/chain.js';
import { REPEAT_OF } from '../../opening/migrations/0018-record.js';
import { type ListedRow, BATCH_COLUMNS } from './page.js';

export function readDetail(db: Database, callId: string): CallDetail | null {
  const row = db
    .prepare<[string], ListedRow & BodyRow>(
      `SELECT c.*, d.*, ${BATCH_COLUMNS} FROM calls c
       JOIN batches b ON b.id = c.batch JOIN bodies d ON d.call = c.id WHERE c.callId = ?`,
    )
    .get(callId);
  return row === undefined ? null : toDetail(row, readEvents(db, row.id), readRepeats(db, callId));
}

export function toDetail(row: ListedRow & BodyRow, events: readonly LifecycleEventView[], repeats: number): CallDetail {
  return {
    ...toSummary(row, row),
    credential: readCredential(row),
    providerCallId: row.door === 'conversation' ? row.requestId : null,
    arguments: JSON.parse(row.arguments) as JsonObject,
    originalArguments: row.originalArguments === null ? null : (JSON.parse(row.originalArguments) as JsonObject),
    capabilities: JSON.parse(row.capabilities) as readonly string[],
    result: row.result,
    structured: row.structured === null ? null : (JSON.parse(row.structured) as JsonObject),
    outputBytes: row.outputBytes,
    outputBytesLeftOut: row.outputBytesLeftOut,
    redactions: row.redactions,
    changedFiles: readChangedFiles(row),
    repeats,
    ...readAftermath(row),
    eCode: readFailure(row)?.eCode ?? null,
    events,
    undoneBy: row.undoneBy,
    undoes: readUndoes(row),
  };
}

const readFailure = ({ failure }: Pick<BodyRow, 'failure'>): Failure | null =>
  failure === null ? null : (JSON.parse(failure) as Failure);

/** Calls that were denied since they were the same as this one. */
export function readRepeats(db: Database, callId: string): number {
  const counted = db
    .prepare<[string], { repeats: number }>(`SELECT count(*) AS repeats FROM bodies WHERE ${REPEAT_OF} = ?`)
    .get(callId);
  return counted?.repeats ?? 0;
}

export function readEvents(db: Database, call: number): readonly LifecycleEventView[] {
  return db
    .prepare<[number], { seq: number; body: string; hash: Uint8Array }>(
      'SELECT seq, body, hash FROM events WHERE call = ? AND body IS NOT NULL ORDER BY seq',
    )
    .all(call)
    .map(({ seq, body, hash }) => {
      const { state, timestamp, note, details } = JSON.parse(body) as AuditBody;
      const rule = typeof details?.['rule'] === 'string' ? { rule: details['rule'] } : {};
      const hook = details?.['hook'] as HookRun | undefined;
      const ofHook = hook === undefined ? {} : { type: 'hook' as const, ...hook };
      return {
        seq,
        state: state ?? 'DECLARED',
        at: timestamp,
        hash: hex(hash),
        note: note ?? null,
        ...rule,
        ...ofHook,
      };
    });
}
