import type { Database } from 'better-sqlite3';

/** The sealed arguments of a call, and what the chain says of them. */
export interface SealedCall {
  readonly callId: string;
  readonly sealed: Uint8Array;
  /** The event that said last what the arguments are. */
  readonly seq: number;
  readonly inputHash: string;
  /** The keyed digests of the arguments as they were asked and as they are; null where nothing was withheld of them. */
  readonly received: string | null;
  readonly last: string | null;
}

export interface SealedPage {
  readonly calls: readonly SealedCall[];
  /** Where to go on; null at the end. */
  readonly next: number | null;
}

const CALLS_AT_ONCE = 500;
/** Arguments may be long: so many bytes are given at once, and one call more. */
const BYTES_AT_ONCE = 4 * 2 ** 20;

interface SealedRow extends Omit<SealedCall, 'sealed'> {
  readonly id: number;
  readonly sealed: Uint8Array | null;
}

/** Reads a page of calls whose arguments are sealed: who has the key holds them against the chain. */
export function readSealedArguments(db: Database, after: number): SealedPage {
  const event = (order: 'ASC' | 'DESC'): string =>
    `(SELECT e.seq FROM events e WHERE e.call = c.id AND json_extract(e.body, '$.type') IN ('call-received', 'call-edited')
      ORDER BY e.seq ${order} LIMIT 1)`;
  const rows = db
    .prepare<[number, number], SealedRow>(
      `SELECT c.id, c.callId, d.sealed, l.seq, json_extract(l.body, '$.inputHash') AS inputHash,
         json_extract(f.body, '$.withheldHash') AS received, json_extract(l.body, '$.withheldHash') AS last
       FROM calls c JOIN bodies d ON d.call = c.id
       LEFT JOIN events f ON d.sealed IS NOT NULL AND f.seq = ${event('ASC')}
       LEFT JOIN events l ON d.sealed IS NOT NULL AND l.seq = ${event('DESC')}
       WHERE c.id > ? ORDER BY c.id LIMIT ?`,
    )
    .iterate(after, CALLS_AT_ONCE);
  const calls: SealedCall[] = [];
  let bytes = 0;
  let looked = 0;
  let last = after;
  for (const { id, sealed, ...call } of rows) {
    looked += 1;
    last = id;
    if (sealed === null) continue;
    calls.push({ ...call, sealed });
    bytes += sealed.length;
    if (bytes > BYTES_AT_ONCE) return { calls, next: last };
  }
  return { calls, next: looked === CALLS_AT_ONCE ? last : null };
}
