import { randomUUID } from 'node:crypto';
import type { Database } from 'better-sqlite3';
import type { AuditBody, UnnumberedBody } from './audit-event.js';
import { GENESIS, bodyHash, canonicalJson, chainHash } from './chain.js';
import { buildEventPayload, type HeadSigner } from './head-signing.js';

export interface ChainTip {
  readonly seq: number;
  readonly hash: Uint8Array;
}

export interface AuditEntry {
  /** The row of the call it is about. */
  readonly call: number | null;
  readonly body: UnnumberedBody;
}

/** The end of the chain. `add` is called inside a transaction; the caller keeps the tip it gives once that is committed. */
export class AuditLog {
  readonly #insert;
  readonly #last;
  readonly #lastSigned;
  readonly #signedAfter;
  readonly #signer: HeadSigner;

  constructor(db: Database, signer: HeadSigner) {
    this.#signer = signer;
    this.#insert = db.prepare<[number, number | null, string, Uint8Array, Uint8Array | null]>(
      'INSERT INTO events (seq, call, body, hash, mac) VALUES (?, ?, ?, ?, ?)',
    );
    this.#lastSigned = db.prepare<[number], ChainTip & { readonly mac: Uint8Array | null }>(
      'SELECT seq, hash, mac FROM events WHERE seq > ? AND mac IS NOT NULL ORDER BY seq DESC LIMIT 1',
    );
    this.#signedAfter = db.prepare<[number], ChainTip & { readonly mac: Uint8Array }>(
      'SELECT seq, hash, mac FROM events WHERE seq > ? AND mac IS NOT NULL ORDER BY seq',
    );
    this.#last = db.prepare<[], ChainTip & { readonly mac: Uint8Array | null }>(
      'SELECT seq, hash, mac FROM events ORDER BY seq DESC LIMIT 1',
    );
  }

  tip(): ChainTip {
    const last = this.#last.get();
    return last === undefined ? { seq: 0, hash: GENESIS } : { seq: last.seq, hash: last.hash };
  }

  /** The last event after that one whose signature is right; that one, where there is none. */
  lastSigned(after: number): number {
    const found = this.#lastSigned.get(after);
    return found?.mac && this.#signer.verify(buildEventPayload(found), found.mac) ? found.seq : after;
  }

  /** Whether one after that carries a signature that is none of ours: whatever stands behind it, somebody else put it there. */
  hasForged(after: number): boolean {
    for (const event of this.#signedAfter.iterate(after))
      if (!this.#signer.verify(buildEventPayload(event), event.mac)) return true;
    return false;
  }

  /**
   * Checks the signature of the last event: all that is before a signed event is as it was written. An empty chain ends
   * right.
   */
  endSignature(): 'right' | 'wrong' | 'none' {
    const last = this.#last.get();
    if (last === undefined) return 'right';
    if (last.mac === null) return 'none';
    return this.#signer.verify(buildEventPayload(last), last.mac) ? 'right' : 'wrong';
  }

  /**
   * Adds all events of one commit. The last one is signed, and with it the chain up to there: whoever adds to the end
   * without the key is found, though the head outside names an earlier one.
   */
  add(tip: ChainTip, at: number, entries: readonly AuditEntry[]): ChainTip {
    let end = tip;
    for (const [index, { call, body: content }] of entries.entries()) {
      const seq = end.seq + 1;
      const body = canonicalJson(wellFormed({ ...content, seq, eventId: randomUUID(), timestamp: at }));
      end = { seq, hash: chainHash(end.hash, bodyHash(body)) };
      const signed = index === entries.length - 1 && this.#signer.available;
      this.#insert.run(seq, call, body, end.hash, signed ? this.#signer.sign(buildEventPayload(end)) : null);
    }
    return end;
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
