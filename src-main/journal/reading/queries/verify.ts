import { createHash, type Hash } from 'node:crypto';
import type { Database } from 'better-sqlite3';
import type { AuditVerdict } from '#contract/vocabulary/telemetry.js';
import type { AuditBody } from '../../audit/audit-event.js';
import { GENESIS, bodyHash, chainHash, hashArguments, hex } from '../../audit/chain.js';
import { FROZEN_MARK } from '../../audit/signed-head.js';
import { checkMessages } from '../../conversations/check-messages.js';
import { checkTrusted } from '../../given/check-trusted.js';
import { sha256 } from '../../../platform/digest.js';
import { isCorrupt } from '../../opening/describe-problem.js';
import { SHOWN_TEXT_SQL, hashShown, type ShownRow } from '../../writing/shown-hash.js';

/** The findings of the reading thread; `judge` makes a verdict of them and the signed head. */
export interface ChainCheck {
  readonly chain: AuditVerdict;
  /** A recorded call that is not what its events say; null when none is. */
  readonly altered: AuditVerdict | null;
  /** The chain's hashes at the places that were asked for: those that the signed head and the system's store name. */
  readonly at: ReadonlyMap<number, string>;
  /** The head was signed at some time, so a head that is missing was taken away. */
  readonly wasSigned: boolean;
  /**
   * Events that must carry a signature: the last one, and those that say that something was erased or was never signed.
   */
  readonly toBeSigned: readonly SignatureCheck[];
  /** Events that carry a signature: the last event of each commit. */
  readonly signatures: Signatures;
  /**
   * Whether, at a start, the end was not what the app had written, and the person has not said that they go on from it.
   */
  readonly isFrozen: boolean;
  /** Ranges that the chain itself says carry no signature. */
  readonly unsigned: readonly EventRange[];
}

export interface SignatureCheck {
  readonly seq: number;
  readonly hash: Uint8Array;
  readonly mac: Uint8Array | null;
  readonly what: 'end' | 'retention' | 'unsigned-range' | 'accepted';
}

/** Side by side: a long history has hundreds of thousands. */
interface Signatures {
  readonly seqs: Float64Array<ArrayBuffer>;
  /** Hashes of the events, 32 bytes each. */
  readonly hashes: Uint8Array<ArrayBuffer>;
  readonly macs: Uint8Array<ArrayBuffer>;
}

export interface EventRange {
  readonly from: number;
  readonly to: number;
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

const CHUNK_EVENTS = 2000;

/**
 * Walks the whole chain, then holds the recorded calls against it. Yields after each chunk, so that other questions
 * are answered meanwhile and no read transaction stays open for long.
 */
export function* checkChain(db: Database, places: readonly number[]): Generator<undefined, ChainCheck> {
  const isMarked = (name: string): boolean => db.prepare('SELECT 1 FROM marks WHERE name = ?').get(name) !== undefined;
  const wasSigned = isMarked('head-signed');
  const isFrozen = isMarked(FROZEN_MARK);
  const walk = new ChainWalk(db, places);
  // What is erased meanwhile names an event that was not there yet when the walk began.
  do {
    const end = walk.lastSeq();
    while (walk.seq < end && walk.wrong === null) {
      walk.chunk(end);
      yield;
    }
  } while (walk.wrong === null && walk.unexplained() !== null && walk.seq < walk.lastSeq());
  const wrong = walk.wrong ?? walk.unexplained();
  const { at, unsigned } = walk;
  if (wrong !== null)
    return {
      chain: wrong,
      altered: null,
      at,
      wasSigned,
      toBeSigned: [],
      signatures: NO_SIGNATURES,
      isFrozen,
      unsigned,
    };
  const toBeSigned = walk.toBeSigned();
  const altered = (yield* checkCalls(db, walk.seq)) ?? (yield* checkMessages(db, walk)) ?? checkTrusted(db, walk);
  return {
    chain: { ok: true, events: walk.seq, head: hex(walk.previous) },
    altered,
    at,
    wasSigned: wasSigned || toBeSigned.some(({ mac }) => mac !== null),
    toBeSigned,
    signatures: yield* readSignatures(db, walk.seq),
    isFrozen,
    unsigned,
  };
}

const HASH_BYTES = 32;
const NO_SIGNATURES: Signatures = { seqs: new Float64Array(0), hashes: new Uint8Array(0), macs: new Uint8Array(0) };

/** Up to that event. A signature of another length is one that is wrong. */
function* readSignatures(db: Database, last: number): Generator<undefined, Signatures> {
  const page = db.prepare<[number, number, number], { seq: number; hash: Uint8Array; mac: Uint8Array }>(
    'SELECT seq, hash, mac FROM events WHERE seq > ? AND seq <= ? AND mac IS NOT NULL ORDER BY seq LIMIT ?',
  );
  const rows: { seq: number; hash: Uint8Array; mac: Uint8Array }[] = [];
  for (
    let read = page.all(0, last, CHUNK_EVENTS);
    read.length > 0;
    read = page.all(rows.at(-1)?.seq ?? last, last, CHUNK_EVENTS)
  ) {
    rows.push(...read);
    yield;
  }
  const signatures = {
    seqs: Float64Array.from(rows, ({ seq }) => seq),
    hashes: new Uint8Array(rows.length * HASH_BYTES),
    macs: new Uint8Array(rows.length * HASH_BYTES),
  };
  for (const [at, { hash, mac }] of rows.entries()) {
    signatures.hashes.set(hash.subarray(0, HASH_BYTES), at * HASH_BYTES);
    if (mac.length === HASH_BYTES) signatures.macs.set(mac, at * HASH_BYTES);
  }
  return signatures;
}

class ChainWalk {
  seq = 0;
  previous = GENESIS;
  wrong: AuditVerdict | null = null;
  /** The number of messages that were said and not erased. */
  messages = 0;
  /** The last word on each folder: whether what is written in it is trusted. */
  readonly trusted = new Map<string, boolean>();
  readonly at = new Map([[0, hex(GENESIS)]]);
  readonly unsigned: EventRange[] = [];
  readonly #signed: { readonly seq: number; readonly what: SignatureCheck['what'] }[] = [];
  readonly #erasures = new Map<number, Erasure>();
  readonly #places: ReadonlySet<number>;
  readonly #page;
  readonly #last;
  readonly #mac;

  constructor(db: Database, places: readonly number[]) {
    this.#places = new Set(places);
    this.#mac = db.prepare<[number], { hash: Uint8Array; mac: Uint8Array | null }>(
      'SELECT hash, mac FROM events WHERE seq = ?',
    );
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
      this.#walk(this.#page.all(this.seq, end, CHUNK_EVENTS));
    } catch (error) {
      if (!isCorrupt(error)) throw error;
      this.wrong = breakAt(
        this.seq + 1,
        `The database is damaged after event ${this.seq}: ${(error as Error).message}.`,
      );
    }
  }

  #walk(rows: readonly EventRow[]): void {
    for (const row of rows) {
      const expected = this.seq + 1;
      const reason = checkEvent(row, expected, this.previous, this);
      if (reason !== null) {
        this.wrong = breakAt(expected, reason);
        return;
      }
      this.previous = row.hash;
      this.seq = row.seq;
      if (this.#places.has(this.seq)) this.at.set(this.seq, hex(this.previous));
    }
  }

  /** The signatures are read apart: of a hundred thousand events, a few are asked for. */
  toBeSigned(): readonly SignatureCheck[] {
    const end = this.seq === 0 ? [] : [{ seq: this.seq, what: 'end' as const }];
    return [...this.#signed, ...end].flatMap(({ seq, what }) => {
      const row = this.#mac.get(seq);
      return row === undefined ? [] : [{ seq, what, hash: row.hash, mac: row.mac }];
    });
  }

  noteErased(row: EventRow): string | null {
    const by = row.erasedBy;
    if (by === null || by <= row.seq) return `Event ${row.seq} was erased, and no retention event says so.`;
    const erasure = this.#erasures.get(by) ?? { first: row.seq, events: 0, digest: createHash('sha256') };
    erasure.events += 1;
    erasure.digest.update(`${row.seq}:`).update(row.hash);
    this.#erasures.set(by, erasure);
    return null;
  }

  /** Notes the app's own statements about the chain. */
  noteSaid(body: AuditBody): string | null {
    if (body.type === 'message-added' || body.type === 'answer-begun') this.messages += 1;
    if (body.type === 'conversation-erased') this.messages -= Number(body.details?.['messages']);
    const { workspace, trusted } = body.details ?? {};
    if (body.type === 'folder-trusted' && typeof workspace === 'string') this.trusted.set(workspace, trusted === true);
    if (body.type !== 'retention' && body.type !== 'unsigned-range' && body.type !== 'accepted') return null;
    this.#signed.push({ seq: body.seq, what: body.type });
    if (body.type === 'retention') return this.#checkErasure(body);
    const { from, to } = body.details ?? {};
    if (typeof from === 'number' && typeof to === 'number') this.unsigned.push({ from, to });
    return null;
  }

  #checkErasure({ seq, details }: AuditBody): string | null {
    const found = this.#erasures.get(seq);
    this.#erasures.delete(seq);
    const digest = (found?.digest ?? createHash('sha256')).digest('hex');
    if ((found?.events ?? 0) === details?.['events'] && digest === details['digest']) return null;
    return `Event ${seq} says which events were erased, and others were.`;
  }

  /** Erased events that name no retention event that was walked over. */
  unexplained(): AuditVerdict | null {
    for (const { first } of this.#erasures.values()) {
      return breakAt(first, `Event ${first} was erased, and no retention event says so.`);
    }
    return null;
  }
}

function* checkCalls(db: Database, seq: number): Generator<undefined, AuditVerdict | null> {
  const calls = db.prepare<[number], ProjectedCall>(
    `SELECT c.id, c.callId, c.state, d.arguments, d.result, ${SHOWN_TEXT_SQL} AS shown, c.durationMs, c.cpuMs FROM calls c
     LEFT JOIN batches b ON b.id = c.batch LEFT JOIN bodies d ON d.call = c.id WHERE c.id > ? ORDER BY c.id LIMIT 500`,
  );
  // What hooks say of a call after its end is no part of what it was.
  const last = db.prepare<[number], { seq: number; body: string | null }>(
    `SELECT seq, body FROM events WHERE call = ? AND (body IS NULL OR json_extract(body, '$.type') <> 'call-hook-after')
     ORDER BY seq DESC LIMIT 1`,
  );
  // One transaction a page: a call and its last event must be of the same moment.
  const page = db.transaction((after: number): { last: number; wrong: AuditVerdict | null } | null => {
    let id = after;
    for (const call of calls.all(after)) {
      id = call.id;
      const event = last.get(id);
      if (event === undefined) return { last: id, wrong: breakAt(1, `Call ${call.callId} has no events.`) };
      const reason =
        event.body === null
          ? `Call ${call.callId} was erased, and is shown.`
          : checkCall(call, JSON.parse(event.body) as AuditBody);
      if (reason !== null) return { last: id, wrong: breakAt(event.seq, reason) };
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
    return breakAt(seq + 1, `The database is damaged: ${(error as Error).message}.`);
  }
}

function breakAt(firstBad: number, reason: string): AuditVerdict {
  return { ok: false, firstBad, reason };
}

interface ProjectedCall extends ShownRow {
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
  walk: Pick<ChainWalk, 'noteErased' | 'noteSaid'>,
): string | null {
  if (row.seq !== expected) return `Event ${expected} is missing.`;
  const content = row.body === null ? row.erasedHash : bodyHash(row.body);
  if (content === null) return `Event ${expected} lost its content.`;
  if (!chainHash(previous, content).equals(row.hash)) {
    return `Event ${expected} is not what was recorded: its hash does not follow from the event before it.`;
  }
  if (row.body === null) return walk.noteErased(row);
  const body = JSON.parse(row.body) as AuditBody;
  if (body.seq !== expected) return `Event ${expected} was recorded as event ${body.seq}.`;
  if ((body.executionId ?? null) !== (row.call === null ? null : row.callId)) {
    return `Event ${expected} belongs to another call than the one it is filed under, or its call was deleted.`;
  }
  return walk.noteSaid(body);
}

/** The last event of a call knows the hashes of its arguments and result: a projection that was edited shows. */
function checkCall(call: ProjectedCall, event: AuditBody): string | null {
  if (call.arguments === null) return `What call ${call.callId} asked and gave was deleted.`;
  if (event.state !== call.state) return `Call ${call.callId} is shown as ${call.state}; recorded was ${event.state}.`;
  if (hashArguments(call.arguments) !== event.inputHash) {
    return `The arguments of call ${call.callId} are not those that were recorded.`;
  }
  if (event.outputHash !== undefined && sha256(call.result ?? '') !== event.outputHash) {
    return `The result of call ${call.callId} is not the one that was recorded.`;
  }
  if (event.shownHash !== undefined && hashShown(call) !== event.shownHash) {
    return `What is shown of call ${call.callId} is not what was recorded: files, failure, client, times or another of its facts.`;
  }
  return null;
}
