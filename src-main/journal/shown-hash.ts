import type { Database } from 'better-sqlite3';
import { sha256Hex } from './chain.js';

/** Of a settled call, in the text of a row. Numbers with a point are apart: SQLite may come to write them otherwise. */
const TEXTS = [
  'b.batchId', 'b.door', 'b.client', 'b.agent', 'b.sessionId', 'b.workspace', 'b.mode', 'c.callId', 'c.position', 'c.tool',
  'c.toolId', 'c.toolVersion', 'c.sideEffecting', 'c.settled', 'c.awaiting', 'c.summary', 'c.risk', 'c.capabilities',
  'c.timeoutMs', 'c.attempts', 'c.outcome', 'c.code', 'c.reason', 'c.startedAt', 'c.executingSince', 'c.confinement',
  'c.hasChanges', 'c.hasOutput', 'c.peakMemoryBytes', 'c.undoes', 'd.originalArguments', 'd.failure', 'd.structured',
  'd.outputBytes', 'd.outputBytesLeftOut', 'd.storedOutputs', 'd.changedFiles',
]; // prettier-ignore

/**
 * What history shows of a settled call besides its arguments and its result, which have hashes of their own: never
 * changed once it is settled. Each with its length before it, so that nothing can be moved from one to the next.
 * A column that comes later begins a new list with a new number: what was hashed by this one must be found by it.
 */
export const SHOWN_TEXT = `'1' || ${TEXTS.map((name) => `ifnull(length(${name}) || ':' || ${name}, '-')`).join(' || ')}`;

export interface ShownRow {
  readonly shown: string;
  readonly durationMs: number | null;
  readonly cpuMs: number | null;
}

export function shownHash({ shown, durationMs, cpuMs }: ShownRow): string {
  return sha256Hex(`${shown}|${durationMs}|${cpuMs}`);
}

/** Of the row as it is stored, so that what is read later is compared with what was written. */
export class ShownHashes {
  readonly #row;

  constructor(db: Database) {
    this.#row = db.prepare<[number], ShownRow>(
      `SELECT ${SHOWN_TEXT} AS shown, c.durationMs, c.cpuMs FROM calls c JOIN batches b ON b.id = c.batch
       JOIN bodies d ON d.call = c.id WHERE c.id = ?`,
    );
  }

  of(call: number): string {
    const row = this.#row.get(call);
    if (row === undefined) throw new Error(`The journal has no call number ${call}.`);
    return shownHash(row);
  }
}
