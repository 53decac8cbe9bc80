import { randomUUID } from 'node:crypto';
import type { Database } from 'better-sqlite3';
import type { AuditBody } from './audit-event.js';
import { GENESIS, bodyHash, canonicalJson, chainHash } from './chain.js';

export interface ChainTip {
  readonly seq: number;
  readonly hash: Uint8Array;
}

/** The end of the chain. `add` is called inside a transaction; the caller keeps the tip it gives once that is committed. */
export class AuditLog {
  readonly #insert;
  readonly #last;

  constructor(db: Database) {
    this.#insert = db.prepare<[number, number | null, string, Uint8Array]>(
      'INSERT INTO events (seq, call, body, hash) VALUES (?, ?, ?, ?)',
    );
    this.#last = db.prepare<[], ChainTip>('SELECT seq, hash FROM events ORDER BY seq DESC LIMIT 1');
  }

  tip(): ChainTip {
    return this.#last.get() ?? { seq: 0, hash: GENESIS };
  }

  add(
    tip: ChainTip,
    call: number | null,
    at: number,
    content: Omit<AuditBody, 'seq' | 'eventId' | 'timestamp'>,
  ): ChainTip {
    const seq = tip.seq + 1;
    const body = canonicalJson(wellFormed({ ...content, seq, eventId: randomUUID(), timestamp: at }));
    const hash = chainHash(tip.hash, bodyHash(body));
    this.#insert.run(seq, call, body, hash);
    return { seq, hash };
  }
}

/** Words may come from a program's output; half a surrogate pair has no canonical form. */
function wellFormed(body: AuditBody): AuditBody {
  const { note, error } = body;
  return {
    ...body,
    ...(note === undefined ? {} : { note: note.toWellFormed() }),
    ...(error === undefined ? {} : { error: { ...error, message: error.message.toWellFormed() } }),
    ...(body.toolId === undefined ? {} : { toolId: body.toolId.toWellFormed() }),
  };
}
