import { createHash, type Hash } from 'node:crypto';
import type { Database } from 'better-sqlite3';
import type { AuditVerdict } from '../../../src-preload/contract/telemetry.js';
import type { AuditBody } from '../audit-event.js';
import { GENESIS, bodyHash, chainHash, hashArguments, hex, sha256Hex } from '../chain.js';
import { isCorrupt } from '../problem.js';

/** What the reading thread found; `judge` makes a verdict of it and the signed head. */
export interface ChainCheck {
  readonly chain: AuditVerdict;
  /** A recorded call that is not what its events say; null when none is. */
  readonly altered: AuditVerdict | null;
  /** The chain's hash at the place that the signed head names. */
  readonly at: string | null;
  /** The head was signed at some time, so a head that is missing was taken away. */
  readonly wasSigned: boolean;
}

interface EventRow {
  readonly seq: number;
  readonly call: number | null;
  readonly callId: string | null;
  readonly body: string | null;
  readonly hash: Uint8Array;
  readonly erasedHash: Uint8Array | null;
  readonly erasedBy: number | null;
}

interface Erasure {
  readonly first: number;
  events: number;
  readonly digest: Hash;
}

const CHUNK = 2000;

/**
 * Walks the whole chain, then holds the recorded calls against it. Yields after each chunk, so that other questions
 * are answered meanwhile and no read transaction stays open for long.
 */
export function* checkChain(db: Database, headSeq: number | null): Generator<undefined, ChainCheck> {
  const wasSigned = db.prepare("SELECT 1 FROM marks WHERE name = 'head-signed'").get() !== undefined;
  const walk = new ChainWalk(db, headSeq);
  // What is erased meanwhile names an event that was not there yet when the walk began.
  do {
    const end = walk.lastSeq();
    while (walk.seq < end && walk.wrong === null) {
      walk.chunk(end);
      yield;
    }
  } while (walk.wrong === null && walk.unexplained() !== null && walk.seq < walk.lastSeq());
  const wrong = walk.wrong ?? walk.unexplained();
  if (wrong !== null) return { chain: wrong, altered: null, at: walk.at, wasSigned };
  const altered = yield* checkCalls(db, walk.seq);
  return { chain: { ok: true, events: walk.seq, head: hex(walk.previous) }, altered, at: walk.at, wasSigned };
}

class ChainWalk {
  seq = 0;
  previous = GENESIS;
  wrong: AuditVerdict | null = null;
  at: string | null;
  readonly #erasures = new Map<number, Erasure>();
  readonly #headSeq: number | null;
  readonly #page;
  readonly #last;

  constructor(db: Database, headSeq: number | null) {
    this.#headSeq = headSeq;
    this.at = headSeq === 0 ? hex(GENESIS) : null;
    this.#last = db.prepare<[], { seq: number }>('SELECT coalesce(max(seq), 0) AS seq FROM events');
    this.#page = db.prepare<[number, number, number], EventRow>(
      `SELECT e.seq, e.call, c.callId, e.body, e.hash, e.erasedHash, e.erasedBy FROM events e
       LEFT JOIN calls c ON c.id = e.call WHERE e.seq > ? AND e.seq <= ? ORDER BY e.seq LIMIT ?`,
    );
  }

  lastSeq(): number {
    return this.#last.get()?.seq ?? 0;
  }

  chunk(end: number): void {
    try {
      this.#walk(this.#page.all(this.seq, end, CHUNK));
    } catch (error) {
      if (!isCorrupt(error)) throw error;
      this.wrong = bad(this.seq + 1, `The database is damaged after event ${this.seq}: ${(error as Error).message}.`);
    }
  }

  #walk(rows: readonly EventRow[]): void {
    for (const row of rows) {
      const expected = this.seq + 1;
      const reason = checkEvent(row, expected, this.previous, this.#erasures);
      if (reason !== null) {
        this.wrong = bad(expected, reason);
        return;
      }
      this.previous = row.hash;
      this.seq = row.seq;
      if (this.seq === this.#headSeq) this.at = hex(this.previous);
    }
  }

  /** Erased events that name no retention event that was walked over. */
  unexplained(): AuditVerdict | null {
    for (const { first } of this.#erasures.values()) {
      return bad(first, `Event ${first} was erased, and no retention event says so.`);
    }
    return null;
  }
}

function* checkCalls(db: Database, seq: number): Generator<undefined, AuditVerdict | null> {
  const calls = db.prepare<[number], ProjectedCall>(
    `SELECT c.id, c.callId, c.state, b.arguments, b.result FROM calls c
     LEFT JOIN bodies b ON b.call = c.id WHERE c.id > ? ORDER BY c.id LIMIT 500`,
  );
  const last = db.prepare<[number], { seq: number; body: string | null }>(
    'SELECT seq, body FROM events WHERE call = ? ORDER BY seq DESC LIMIT 1',
  );
  // One transaction a page: a call and its last event must be of the same moment.
  const page = db.transaction((after: number): { last: number; wrong: AuditVerdict | null } | null => {
    let id = after;
    for (const call of calls.all(after)) {
      id = call.id;
      const event = last.get(id);
      if (event === undefined) return { last: id, wrong: bad(1, `Call ${call.callId} has no events.`) };
      const reason = event.body === null ? null : checkCall(call, JSON.parse(event.body) as AuditBody);
      if (reason !== null) return { last: id, wrong: bad(event.seq, reason) };
    }
    return id === after ? null : { last: id, wrong: null };
  });
  try {
    for (let done = page(0); done !== null; done = page(done.last)) {
      if (done.wrong !== null) return done.wrong;
      yield;
    }
    return null;
  } catch (error) {
    if (!isCorrupt(error)) throw error;
    return bad(seq + 1, `The database is damaged: ${(error as Error).message}.`);
  }
}

function bad(firstBad: number, reason: string): AuditVerdict {
  return { ok: false, firstBad, reason };
}

interface ProjectedCall {
  readonly id: number;
  readonly callId: string;
  readonly state: string;
  readonly arguments: string | null;
  readonly result: string | null;
}

function checkEvent(
  row: EventRow,
  expected: number,
  previous: Uint8Array,
  erasures: Map<number, Erasure>,
): string | null {
  if (row.seq !== expected) return `Event ${expected} is missing.`;
  const content = row.body === null ? row.erasedHash : bodyHash(row.body);
  if (content === null) return `Event ${expected} lost its content.`;
  if (!chainHash(previous, content).equals(row.hash)) {
    return `Event ${expected} is not what was recorded: its hash does not follow from the event before it.`;
  }
  if (row.body === null) return noteErased(row, erasures);
  const body = JSON.parse(row.body) as AuditBody;
  if (body.seq !== expected) return `Event ${expected} was recorded as event ${body.seq}.`;
  if ((body.executionId ?? null) !== (row.call === null ? null : row.callId)) {
    return `Event ${expected} belongs to another call than the one it is filed under, or its call was deleted.`;
  }
  return body.type === 'retention' ? checkErasure(row.seq, body, erasures) : null;
}

function noteErased(row: EventRow, erasures: Map<number, Erasure>): string | null {
  const by = row.erasedBy;
  if (by === null || by <= row.seq) return `Event ${row.seq} was erased, and no retention event says so.`;
  const erasure = erasures.get(by) ?? { first: row.seq, events: 0, digest: createHash('sha256') };
  erasure.events += 1;
  erasure.digest.update(`${row.seq}:`).update(row.hash);
  erasures.set(by, erasure);
  return null;
}

function checkErasure(seq: number, body: AuditBody, erasures: Map<number, Erasure>): string | null {
  const found = erasures.get(seq);
  erasures.delete(seq);
  const digest = (found?.digest ?? createHash('sha256')).digest('hex');
  if ((found?.events ?? 0) === body.details?.['events'] && digest === body.details['digest']) return null;
  return `Event ${seq} says which events were erased, and others were.`;
}

/** The last event of a call knows the hashes of its arguments and result: a projection that was edited shows. */
function checkCall(call: ProjectedCall, event: AuditBody): string | null {
  if (call.arguments === null) return `What call ${call.callId} asked and gave was deleted.`;
  if (event.state !== call.state) return `Call ${call.callId} is shown as ${call.state}; recorded was ${event.state}.`;
  if (hashArguments(call.arguments) !== event.inputHash) {
    return `The arguments of call ${call.callId} are not those that were recorded.`;
  }
  if (event.outputHash !== undefined && sha256Hex(call.result ?? '') !== event.outputHash) {
    return `The result of call ${call.callId} is not the one that was recorded.`;
  }
  return null;
}
