import type { Database } from 'better-sqlite3';
import type { JsonObject } from '#contract/vocabulary/json.js';
import type { Failure, FailureCode } from '#contract/vocabulary/outcomes.js';
import { findCallSubject } from '../../domain/conversation/framing.js';
import { SECRETS_REVEALED } from '../../domain/call/call-stages.js';
import type { Sealer } from '../../domain/ports/sealing.js';
import { openWholeResult } from '../writing/sealed-arguments.js';
import type { RecordedCallResult } from '../../domain/ports/conversation/conversation-record.js';

interface CallResultRow {
  readonly callId: string;
  readonly tool: string;
  readonly settled: number;
  readonly executingSince: number | null;
  readonly discarded: number;
  readonly arguments: string;
  readonly edited: number;
  readonly failure: string | null;
  readonly result: string | null;
  readonly outputBytes: number;
  /** JSON: what was granted. */
  readonly capabilities: string;
  readonly sealedResult: Uint8Array | null;
}

/** Failures whose words are the app's own: a call that ended so has no output where it had said nothing by then. */
const APP_FAILURES: readonly FailureCode[] = ['Cancelled', 'Interrupted', 'Timeout'];

export class CallResults {
  readonly #row;

  readonly #sealer: Sealer;
  /** Results that the person lets a model have, until Gatehouse quits: without a key store nothing is kept whole. */
  readonly #revealed = new Map<string, string>();

  constructor(db: Database, sealer: Sealer) {
    this.#sealer = sealer;
    this.#row = db.prepare<[string], CallResultRow>(
      `SELECT c.callId, c.tool, c.settled, c.executingSince, b.discarded, d.arguments, d.failure, d.result, d.outputBytes,
       d.originalArguments IS NOT NULL AS edited, c.capabilities, d.sealedResult
       FROM calls c JOIN batches b ON b.id = c.batch JOIN bodies d ON d.call = c.id WHERE c.callId = ?`,
    );
  }

  of(callIds: readonly string[]): ReadonlyMap<string, RecordedCallResult> {
    return new Map(
      callIds.flatMap((callId) => {
        const row = this.#row.get(callId);
        return row === undefined ? [] : [[callId, toResult(row, this.#contentOf(row))]];
      }),
    );
  }

  /** A result with what was taken out of it was recorded. */
  settled(callId: string, whole: string): void {
    const row = this.#sealer.available ? undefined : this.#row.get(callId);
    if (row === undefined || !isRevealed(row)) return;
    this.#revealed.set(callId, whole);
    const [oldest] = this.#revealed.keys();
    if (this.#revealed.size > MAX_REVEALED && oldest !== undefined) this.#revealed.delete(oldest);
  }

  /** Whole where the person let its caller have what was taken out of it. */
  #contentOf(row: CallResultRow): string {
    const whole = isRevealed(row) ? openWholeResult(row.sealedResult, row.callId, this.#sealer) : null;
    return whole?.content ?? this.#revealed.get(row.callId) ?? row.result ?? '';
  }
}

const MAX_REVEALED = 100;

const isRevealed = ({ capabilities }: CallResultRow): boolean =>
  (JSON.parse(capabilities) as readonly string[]).includes(SECRETS_REVEALED);

function toResult(row: CallResultRow, content: string): RecordedCallResult {
  const failure = row.failure === null ? null : (JSON.parse(row.failure) as Failure);
  return {
    callId: row.callId,
    tool: row.tool,
    about: findCallSubject(JSON.parse(row.arguments) as JsonObject),
    result: row.settled === 0 ? null : { content, failure, isOutput: isOutput(row, failure) },
    discarded: row.discarded !== 0,
    edited: row.edited !== 0,
  };
}

function isOutput({ executingSince, outputBytes }: CallResultRow, failure: Failure | null): boolean {
  if (failure === null) return true;
  return executingSince !== null && (outputBytes > 0 || !APP_FAILURES.includes(failure.code));
}
