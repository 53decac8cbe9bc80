import { createHash, type Hash } from 'node:crypto';
import type { Database } from 'better-sqlite3';
import type { AuditVerdict } from '../../../src-preload/contract/telemetry.js';
import type { AuditBody } from '../audit-event.js';
import { GENESIS, bodyHash, chainHash, hashArguments, hex, sha256Hex } from '../chain.js';

/** What the worker found; `at` gives the chain's hash at the place the signed head names. */
export interface ChainCheck {
  readonly verdict: AuditVerdict;
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
 * are answered meanwhile and no read transaction stays open for long. Only what was there at the start is looked at.
 */
export function* checkChain(db: Database, headSeq: number | null): Generator<undefined, ChainCheck> {
  const end = db.prepare<[], { seq: number | null }>('SELECT max(seq) AS seq FROM events').get()?.seq ?? 0;
  const signed = db.prepare("SELECT 1 FROM marks WHERE name = 'head-signed'").get() !== undefined;
  const page = db.prepare<[number, number, number], EventRow>(
    `SELECT e.seq, e.call, c.callId, e.body, e.hash, e.erasedHash, e.erasedBy FROM events e
     LEFT JOIN calls c ON c.id = e.call WHERE e.seq > ? AND e.seq <= ? ORDER BY e.seq LIMIT ?`,
  );
  const erasures = new Map<number, Erasure>();
  let previous = GENESIS;
  let seq = 0;
  let at: string | null = headSeq === 0 ? hex(GENESIS) : null;
  const answer = (verdict: AuditVerdict): ChainCheck => ({ verdict, at, wasSigned: signed });
  const bad = (firstBad: number, reason: string): ChainCheck => answer({ ok: false, firstBad, reason });

  while (seq < end) {
    const rows = page.all(seq, end, CHUNK);
    for (const row of rows) {
      const wrong = checkEvent(row, seq + 1, previous, erasures);
      if (wrong !== null) return bad(seq + 1, wrong);
      previous = row.hash;
      seq = row.seq;
      if (seq === headSeq) at = hex(previous);
    }
    if (rows.length === 0) return bad(seq + 1, `Event ${seq + 1} is missing.`);
    yield;
  }
  for (const { first } of erasures.values()) {
    return bad(first, `Event ${first} was erased, and no retention event says so.`);
  }
  const altered = yield* checkCalls(db);
  return altered ?? answer({ ok: true, events: end, head: hex(previous) });

  function* checkCalls(database: Database): Generator<undefined, ChainCheck | null> {
    const calls = database.prepare<[number, number], ProjectedCall>(
      `SELECT c.id, c.callId, c.state, c.settled, b.arguments, b.result FROM calls c
       LEFT JOIN bodies b ON b.call = c.id WHERE c.id > ? ORDER BY c.id LIMIT ?`,
    );
    const last = database.prepare<[number, number], { seq: number; body: string | null }>(
      'SELECT seq, body FROM events WHERE call = ? AND seq <= ? ORDER BY seq DESC LIMIT 1',
    );
    for (let after = 0, rows = calls.all(0, 500); rows.length > 0; rows = calls.all(after, 500)) {
      for (const call of rows) {
        after = call.id;
        const event = last.get(call.id, end);
        if (event === undefined || event.body === null) continue;
        const wrong = checkCall(call, JSON.parse(event.body) as AuditBody);
        if (wrong !== null) return bad(event.seq, wrong);
      }
      yield;
    }
    return null;
  }
}

interface ProjectedCall {
  readonly id: number;
  readonly callId: string;
  readonly state: string;
  readonly settled: number;
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
