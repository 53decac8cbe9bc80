import type { Database } from 'better-sqlite3';
import { sha256Hex } from './chain.js';

/**
 * What history shows of a settled call besides its arguments and its result, which have hashes of their own: never
 * changed once it is settled. A column that comes later is added at the end of a new list; these are of `1`.
 */
const SHOWN =
  'b.batchId, b.door, b.client, b.agent, b.sessionId, b.workspace, b.mode, c.callId, c.position, c.tool, c.toolId, c.toolVersion, ' +
  'c.sideEffecting, c.settled, c.awaiting, c.summary, c.risk, c.capabilities, c.timeoutMs, c.attempts, c.outcome, c.code, c.reason, ' +
  'c.startedAt, c.executingSince, c.durationMs, c.confinement, c.hasChanges, c.hasOutput, c.cpuMs, c.peakMemoryBytes, ' +
  'c.undoes, d.originalArguments, d.failure, d.structured, d.outputBytes, d.outputBytesLeftOut, d.storedOutputs, ' +
  'd.changedFiles';

/** Of the row as it is stored, so that what is read later is compared with what was written. */
export class ShownHashes {
  readonly #row;

  constructor(db: Database) {
    this.#row = db
      .prepare<[number], unknown[]>(
        `SELECT ${SHOWN} FROM calls c JOIN batches b ON b.id = c.batch JOIN bodies d ON d.call = c.id WHERE c.id = ?`,
      )
      .raw();
  }

  of(call: number): string {
    return sha256Hex(`1\n${JSON.stringify(this.#row.get(call) ?? null)}`);
  }
}
