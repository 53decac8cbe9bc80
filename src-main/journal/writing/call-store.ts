import type { Database } from 'better-sqlite3';
import type { JournalEvent, SettledResult, UnredactedResult } from '../../domain/call/journal-events.js';
import { NO_AFTERMATH } from '#contract/vocabulary/calls.js';
import type { Json, JsonObject } from '#contract/vocabulary/json.js';
import type { Failure } from '#contract/vocabulary/outcomes.js';
import type { Sealer } from '../../domain/ports/sealing.js';
import type { BatchRow, BodyRow, CallEvent, CallReceived, CallRow } from './call-row.js';
import { hashArguments } from '../audit/chain.js';
import { toAskerRow } from './asker-row.js';
import { hashShown, buildShownText } from './shown-hash.js';
import {
  argumentsSealPurpose,
  resultSealPurpose,
  openWholeArguments,
  type WholeArguments,
  type WholeResult,
} from './sealed-arguments.js';

const COLUMNS = [
  'callId', 'batch', 'position', 'requestId', 'tool', 'toolId', 'toolVersion', 'nature', 'sideEffecting', 'inputHash', 'state',
  'settled', 'awaiting', 'summary', 'risk', 'capabilities', 'timeoutMs', 'attempts', 'outcome', 'code', 'reason',
  'startedAt', 'executingSince', 'durationMs', 'confinement', 'pid', 'startTicks', 'mark', 'hasChanges', 'hasOutput',
  'cpuMs', 'peakMemoryBytes', 'undoes', 'undoneBy', 'redactions', 'decidedBy', 'exitCode', 'linesAdded', 'linesRemoved',
  'said',
] as const satisfies readonly (keyof CallRow)[]; // prettier-ignore
/** Columns that never change once they are stored. */
const FIXED_COLUMNS = new Set<string>([
  'callId',
  'batch',
  'position',
  'requestId',
  'tool',
  'toolId',
  'toolVersion',
  'nature',
  'startedAt',
  'undoneBy',
]);

/** The writes of an append, prepared once. It holds no state: what is in the database is what there is. */
export class CallStore {
  readonly #sealer: Sealer;
  readonly #statements: ReturnType<typeof prepare>;

  constructor(db: Database, sealer: Sealer) {
    this.#sealer = sealer;
    this.#statements = prepare(db);
  }

  batch(batchId: string): BatchRow {
    const row = this.#statements.batch.get(batchId);
    if (row === undefined) throw new Error(`The journal has no batch ${batchId}.`);
    return row;
  }

  batchOf(id: number): BatchRow {
    const row = this.#statements.batchById.get(id);
    if (row === undefined) throw new Error(`The journal has no batch number ${id}.`);
    return row;
  }

  call(callId: string): CallRow {
    const row = this.#statements.call.get(callId);
    if (row === undefined) throw new Error(`The journal has no call ${callId}.`);
    return row;
  }

  addBatch(event: Extract<JournalEvent, { type: 'batch-received' }>, at: number): BatchRow {
    const { batchId, asker, workspace, mode } = event;
    const facts = { batchId, ...toAskerRow(asker), workspace, mode };
    const { lastInsertRowid } = this.#statements.addBatch.run({ ...facts, at });
    return { id: Number(lastInsertRowid), ...facts };
  }

  discardBatch(batchId: string): void {
    this.#statements.discardBatch.run(this.batch(batchId).id);
  }

  closeBatch(batchId: string): void {
    this.#statements.closeBatch.run(this.batch(batchId).id);
  }

  /** Gives the row with its id. */
  addCall(declared: CallRow, event: CallReceived): CallRow {
    const args = toStorable(event.arguments);
    const row = { ...declared, inputHash: hashArguments(args) };
    const id = Number(this.#statements.addCall.run(row).lastInsertRowid);
    this.#statements.addBody.run(id, args);
    if (event.withheld !== undefined) this.#seal(id, event.callId, { arguments: event.withheld.arguments });
    return { ...row, id };
  }

  saveCall(row: CallRow): void {
    this.#statements.saveCall.run(row);
  }

  /** The first arguments stay as the original ones, however often they are edited. */
  editArguments(row: CallRow, event: Extract<CallEvent, { type: 'call-edited' }>): CallRow {
    const json = toStorable(event.arguments);
    const before = this.#statements.arguments.get(row.id);
    const originally = before === undefined ? null : openWholeArguments(before, row.callId, this.#sealer);
    this.#statements.editArguments.run(json, row.id);
    if (event.withheld !== undefined || (before?.sealed ?? null) !== null) {
      const whole = event.withheld?.arguments ?? event.arguments;
      this.#seal(row.id, row.callId, {
        arguments: whole,
        originalArguments: originally?.originalArguments ?? originally?.arguments ?? null,
      });
    }
    return { ...row, inputHash: hashArguments(json) };
  }

  /** Stores the whole arguments sealed. Without a key store nothing is kept whole. */
  #seal(id: number, callId: string, whole: WholeArguments): void {
    const sealed = this.#sealer.seal(Buffer.from(JSON.stringify(whole)), argumentsSealPurpose(callId));
    this.#statements.seal.run(sealed, id);
  }

  #sealResult({ id, callId }: CallRow, { content, structured }: UnredactedResult): void {
    const whole: WholeResult = { content, structured };
    const sealed = this.#sealer.seal(Buffer.from(JSON.stringify(whole)), resultSealPurpose(callId));
    this.#statements.sealResult.run(sealed, id);
  }

  /** Gives the hash of what is shown of it. */
  settle(row: CallRow, batch: BatchRow, failure: Failure | null, result: SettledResult): string {
    const settled = {
      failure: failure === null ? null : JSON.stringify(failure),
      structured: result.structured === null ? null : JSON.stringify(result.structured),
      outputBytes: result.outputBytes,
      outputBytesLeftOut: result.outputBytesLeftOut,
      storedOutputs: JSON.stringify(result.storedOutputs),
      changedFiles: JSON.stringify(result.changedFiles),
      aftermath: result.aftermath === NO_AFTERMATH ? null : JSON.stringify(result.aftermath),
    };
    this.#statements.settleBody.run({ call: row.id, result: result.content, ...settled });
    if (result.withheld !== undefined) this.#sealResult(row, result.withheld);
    const { originalArguments } = this.#statements.arguments.get(row.id) ?? NO_ARGUMENTS;
    if (failure === null) for (const undone of result.undoes) this.#statements.markUndone.run(row.callId, undone);
    const shown = buildShownText(batch, row, { ...settled, originalArguments });
    return hashShown({ shown, durationMs: row.durationMs, cpuMs: row.cpuMs });
  }
}

const NO_ARGUMENTS = { originalArguments: null };

/** Deeper than anything may run (the planner refuses far less), and shallow enough for every reader of it. */
const MAX_DEPTH = 500;

/** A caller may send what overflows the stack of whoever looks at it. Its call must be recorded all the same. */
function toStorable(args: JsonObject): string {
  let level: readonly Json[] = [args];
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > MAX_DEPTH) return JSON.stringify({ 'not kept': 'The arguments are nested too deeply to be kept.' });
    level = level.flatMap((value) => (typeof value === 'object' && value !== null ? Object.values(value) : []));
  }
  return JSON.stringify(args);
}

function prepare(db: Database) {
  const changing = COLUMNS.filter((column) => !FIXED_COLUMNS.has(column));
  return {
    batch: db.prepare<[string], BatchRow>('SELECT * FROM batches WHERE batchId = ?'),
    batchById: db.prepare<[number], BatchRow>('SELECT * FROM batches WHERE id = ?'),
    call: db.prepare<[string], CallRow>('SELECT * FROM calls WHERE callId = ?'),
    addBatch: db.prepare(
      `INSERT INTO batches (batchId, door, client, agent, tenant, user, credential, sessionId, workspace, mode, receivedAt)
       VALUES (@batchId, @door, @client, @agent, @tenant, @user, @credential, @sessionId, @workspace, @mode, @at)`,
    ),
    discardBatch: db.prepare('UPDATE batches SET discarded = 1 WHERE id = ?'),
    closeBatch: db.prepare('UPDATE batches SET closed = 1 WHERE id = ?'),
    addCall: db.prepare<[CallRow]>(
      `INSERT INTO calls (${COLUMNS.join(', ')}) VALUES (${COLUMNS.map((name) => `@${name}`).join(', ')})`,
    ),
    addBody: db.prepare<[number, string]>('INSERT INTO bodies (call, arguments) VALUES (?, ?)'),
    saveCall: db.prepare<[CallRow]>(
      `UPDATE calls SET ${changing.map((name) => `${name} = @${name}`).join(', ')} WHERE id = @id`,
    ),
    arguments: db.prepare<[number], Pick<BodyRow, 'arguments' | 'originalArguments' | 'sealed'>>(
      'SELECT arguments, originalArguments, sealed FROM bodies WHERE call = ?',
    ),
    seal: db.prepare<[Uint8Array | null, number]>('UPDATE bodies SET sealed = ? WHERE call = ?'),
    sealResult: db.prepare<[Uint8Array | null, number]>('UPDATE bodies SET sealedResult = ? WHERE call = ?'),
    editArguments: db.prepare<[string, number]>(
      'UPDATE bodies SET originalArguments = coalesce(originalArguments, arguments), arguments = ? WHERE call = ?',
    ),
    settleBody: db.prepare(
      `UPDATE bodies SET failure = @failure, result = @result, structured = @structured, outputBytes = @outputBytes,
       outputBytesLeftOut = @outputBytesLeftOut, storedOutputs = @storedOutputs, changedFiles = @changedFiles, aftermath = @aftermath
       WHERE call = @call`,
    ),
    markUndone: db.prepare<[string, string]>('UPDATE calls SET undoneBy = ? WHERE callId = ?'),
  };
}
