import type { Database } from 'better-sqlite3';
import type { JsonObject } from '#contract/vocabulary/json.js';
import type { DecidingRule } from '#contract/vocabulary/rules.js';
import type { Failure } from '#contract/vocabulary/outcomes.js';
import type { OpenBatch, UnsettledCall } from '../../domain/ports/journal.js';
import type { Grant, SettledResult } from '../../domain/call/journal-events.js';
import type { StoredOutput } from '../../domain/call/outputs.js';
import type { Sealer } from '../../domain/ports/sealing.js';
import type { CallOptions } from '../../domain/call/call-options.js';
import { toAsker } from './asker-row.js';
import type { AuditBody } from '../audit/audit-event.js';
import { createWantedReader } from './invocation-store.js';
import { openWholeArguments } from './sealed-arguments.js';
import {
  type BatchRow,
  type BodyRow,
  type CallRow,
  readAftermath,
  readChangedFiles,
  toSummary,
  readUndoes,
} from './call-row.js';

type WholeCallRow = CallRow & BodyRow;

/** Batches that were not given back yet, oldest first, with every one of their calls. */
export function readOpenBatches(db: Database, sealer: Sealer): readonly OpenBatch[] {
  const calls = db.prepare<[number], WholeCallRow>(
    'SELECT * FROM calls c JOIN bodies b ON b.call = c.id WHERE c.batch = ? ORDER BY c.position, c.id',
  );
  const wanted = createWantedReader(db);
  const yes = readApproval(db);
  return db
    .prepare<[], BatchRow>('SELECT * FROM batches WHERE closed = 0 ORDER BY id')
    .all()
    .map((batch) => ({
      batchId: batch.batchId,
      asker: toAsker(batch),
      workspace: batch.workspace,
      mode: batch.mode,
      calls: calls.all(batch.id).map((row) => toOpenCall(row, batch, { sealer, wanted, yes })),
    }));
}

interface BatchContext {
  readonly sealer: Sealer;
  readonly wanted: (callId: string) => CallOptions | null;
  readonly yes: (row: WholeCallRow) => Grant | null;
}

/** The person's yes to a call that had not begun, as the record has it. What words were taken out of is not what they said yes to. */
function readApproval(db: Database): BatchContext['yes'] {
  const last = db.prepare<[number], { readonly body: string }>(
    `SELECT body FROM events WHERE call = ? AND json_extract(body, '$.type') = 'call-authorized' ORDER BY seq DESC LIMIT 1`,
  );
  return ({ id, state, decidedBy, capabilities }) => {
    if (state !== 'AUTHORIZED' || decidedBy !== 'person') return null;
    const said = last.get(id);
    if (said === undefined) return null;
    const { details, note, redacted } = JSON.parse(said.body) as AuditBody;
    const { layer, rule, judgement } = details as unknown as DecidingRule & {
      rule: DecidingRule['id'];
    } & Partial<Grant>;
    if (redacted !== undefined || note === undefined || judgement === undefined || judgement === null) return null;
    const from = { layer, id: rule };
    return { by: 'person', rule: note, from, capabilities: JSON.parse(capabilities) as readonly string[], judgement };
  };
}

function toOpenCall(row: WholeCallRow, batch: BatchRow, beside: BatchContext): OpenBatch['calls'][number] {
  if (row.settled === 0) return { settled: false, call: toUnsettled(row, batch, beside) };
  return {
    settled: true,
    summary: toSummary(row, batch),
    result: toResult(row),
    failure: row.failure === null ? null : (JSON.parse(row.failure) as Failure),
  };
}

function toUnsettled(row: WholeCallRow, batch: BatchRow, { sealer, wanted, yes }: BatchContext): UnsettledCall {
  const whole = openWholeArguments(row, row.callId, sealer);
  // Taken out and not kept, or no longer to be opened.
  const lost = whole === null || (row.redactions > 0 && row.sealed === null);
  const { pid, startTicks, mark } = row;
  return {
    summary: toSummary(row, batch),
    index: row.position,
    requestId: row.requestId,
    sideEffecting: row.sideEffecting !== 0,
    arguments: whole?.arguments ?? (JSON.parse(row.arguments) as JsonObject),
    originalArguments: whole?.originalArguments ?? null,
    lost,
    capabilities: JSON.parse(row.capabilities) as readonly string[],
    yes: yes(row),
    attempts: row.attempts,
    wanted: wanted(row.callId),
    process: pid === null || startTicks === null || mark === null ? null : { pid, startTicks, mark },
  };
}

function toResult(row: WholeCallRow): SettledResult {
  return {
    content: row.result ?? '',
    structured: row.structured === null ? null : (JSON.parse(row.structured) as JsonObject),
    outputBytes: row.outputBytes,
    outputBytesLeftOut: row.outputBytesLeftOut,
    redactions: row.redactions,
    storedOutputs: JSON.parse(row.storedOutputs) as readonly StoredOutput[],
    changedFiles: readChangedFiles(row),
    aftermath: readAftermath(row),
    confinement: row.confinement,
    cpuMs: row.cpuMs,
    peakMemoryBytes: row.peakMemoryBytes,
    undoes: readUndoes(row),
  };
}
