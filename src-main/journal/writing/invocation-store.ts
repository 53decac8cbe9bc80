import { createHash, randomUUID } from 'node:crypto';
import type { Database } from 'better-sqlite3';
import type { CallSummary } from '#contract/vocabulary/calls.js';
import type { JsonObject } from '#contract/vocabulary/json.js';
import type { Failure } from '#contract/vocabulary/outcomes.js';
import type { CallOptions } from '../../domain/call/call-options.js';
import type {
  InvocationClaim,
  InvocationRequest,
  Invocations,
  InvocationScope,
  RecordedInvocation,
} from '../../domain/ports/invocations.js';
import { readAftermath, type BatchRow, type BodyRow, type CallRow, toSummary } from './call-row.js';

/** A row of `invocations`. `wanted` is JSON. */
interface InvocationRow extends InvocationScope {
  readonly callId: string;
  readonly invocationId: string;
  readonly keyHash: string | null;
  readonly digest: string;
  readonly wanted: string;
}

export interface InvocationDeps {
  readonly db: Database;
  /**
   * Digests with the journal's key: what a program asked for may be guessed, and is not to be confirmed from a copy.
   */
  readonly digest: (text: string) => string;
  readonly now: () => number;
  /**
   * Writes without waiting for the disk: the next record of a call takes it along, and before that nothing of it is
   * durable.
   */
  readonly lazily: (write: () => void) => void;
  readonly onCommit: (listener: (calls: readonly CallSummary[]) => void) => () => void;
}

/** The number of calls that the usual duration is taken from. */
const DURATION_SAMPLE = 21;

export class InvocationStore implements Invocations {
  readonly #parts: InvocationDeps;
  readonly #statements: ReturnType<typeof prepare>;

  constructor(parts: InvocationDeps) {
    this.#parts = parts;
    this.#statements = prepare(parts.db);
    registerKeys(parts);
  }

  claim(asked: InvocationRequest, isUnderWay: (callId: string) => boolean): InvocationClaim {
    const claimed: { claim: InvocationClaim | null } = { claim: null };
    const claim = this.#parts.db.transaction(() => (claimed.claim = this.#claim(asked, isUnderWay)));
    this.#parts.lazily(() => void claim.immediate());
    if (claimed.claim === null) throw new Error('The claim was not made.');
    return claimed.claim;
  }

  #claim(
    { scope, invocationId, key, digest, alike = [], wanted }: InvocationRequest,
    isUnderWay: (callId: string) => boolean,
  ): InvocationClaim {
    const { byKey, take, again, keep } = this.#statements;
    const keyHash = key === null ? null : createHash('sha256').update(key).digest('hex');
    const before = [
      ...(invocationId === null ? [] : [this.#byId(scope, invocationId)]),
      ...(keyHash === null ? [] : [byKey.get({ ...scope, keyHash })]),
    ].filter((row) => row !== undefined);
    const said = this.#parts.digest(digest);
    const row = { digest: said, wanted: JSON.stringify(wanted), claimedAt: this.#parts.now() };
    const [first] = before;
    if (first !== undefined) {
      const isOne = before.every(({ callId }) => callId === first.callId);
      if (!isOne) return { kind: 'conflict', callId: first.callId };
      if (this.#isRecorded(first.callId) || isUnderWay(first.callId)) {
        if (first.digest !== said && !alike.some((each) => this.#parts.digest(each) === first.digest))
          return { kind: 'conflict', callId: first.callId };
        // A key that came later stands for it, too.
        if (keyHash !== null && first.keyHash === null) keep.run(keyHash, first.callId);
        return { kind: 'same', callId: first.callId };
      }
      // Nothing came of it: a crash, or a journal that could not write, was before.
      again.run({ ...row, keyHash: keyHash ?? first.keyHash, callId: first.callId });
      return { kind: 'new', callId: first.callId };
    }
    const callId = invocationId !== null && this.#isFree(invocationId) ? invocationId : randomUUID();
    take.run({ ...scope, ...row, callId, invocationId: invocationId ?? callId, keyHash });
    return { kind: 'new', callId };
  }

  find(scope: InvocationScope | { readonly bearer: string }, id: string): string | null {
    for (const spelling of listSpellings(id)) {
      const found = this.#find(scope, spelling);
      if (found !== null) return found;
    }
    return null;
  }

  #byId(scope: InvocationScope, id: string): InvocationRow | undefined {
    for (const invocationId of listSpellings(id)) {
      const found = this.#statements.byId.get({ ...scope, invocationId });
      if (found !== undefined) return found;
    }
    return undefined;
  }

  #find(scope: InvocationScope | { readonly bearer: string }, id: string): string | null {
    const { byId, ofBearer } = this.#statements;
    const own = 'agent' in scope ? byId.get({ ...scope, invocationId: id }) : undefined;
    if (own !== undefined) return own.callId;
    const found = this.#scopeOf(id);
    if (found !== null && found.bearer === scope.bearer) {
      if (!('agent' in scope)) return id;
      if (found.agent === scope.agent && found.tenant === scope.tenant) return id;
    }
    return 'agent' in scope ? null : (ofBearer.get(scope.bearer, id)?.callId ?? null);
  }

  read(callId: string): RecordedInvocation | null {
    const { whole, batch } = this.#statements;
    const row = whole.get(callId);
    const of = row === undefined ? undefined : batch.get(row.batch);
    const scope = this.#scopeOf(callId);
    if (row === undefined || of === undefined || scope === null) return null;
    const { content, structured, cpuMs, peakMemoryBytes } = {
      ...row,
      content: row.result ?? '',
      structured: row.structured === null ? null : (JSON.parse(row.structured) as JsonObject),
    };
    return {
      summary: toSummary(row, of),
      scope,
      failure: row.failure === null ? null : (JSON.parse(row.failure) as Failure),
      result: row.settled === 0 ? null : { content, structured, cpuMs, peakMemoryBytes },
      warnings: readAftermath(row).warnings,
      checkpoint: readAftermath(row).checkpoint ?? null,
    };
  }

  findSessionFolder(session: string): string | null {
    return this.#statements.folderOf.get(session)?.workspace ?? null;
  }

  getMedianMs(toolId: string): number | null {
    const all = this.#statements.durations.all(toolId, DURATION_SAMPLE).map(({ durationMs }) => durationMs);
    return all.toSorted((one, other) => one - other)[Math.floor(all.length / 2)] ?? null;
  }

  onCommit(listener: (calls: readonly CallSummary[]) => void): () => void {
    return this.#parts.onCommit(listener);
  }

  /** The scope of a call that was asked for over HTTP; without a claim, the bearer itself is who asked. */
  #scopeOf(callId: string): InvocationScope | null {
    const { claimOf, asker } = this.#statements;
    const claimed = claimOf.get(callId);
    if (claimed !== undefined) return { bearer: claimed.bearer, agent: claimed.agent, tenant: claimed.tenant };
    const asked = asker.get(callId);
    if (asked?.door !== 'gateway') return null;
    return { bearer: asked.agent ?? '', agent: asked.agent ?? '', tenant: asked.tenant ?? '' };
  }

  #isRecorded(callId: string): boolean {
    return this.#statements.asker.get(callId) !== undefined;
  }

  #isFree(callId: string): boolean {
    return !this.#isRecorded(callId) && this.#statements.claimOf.get(callId) === undefined;
  }
}

/** A UUID is the same in either case, and is kept and answered as it came. */
const listSpellings = (id: string): ReadonlySet<string> => new Set([id, id.toLowerCase(), id.toUpperCase()]);

/** Reads what a call's program asked for besides, as it was claimed; null where no program did. */
export function createWantedReader(db: Database): (callId: string) => CallOptions | null {
  const wanted = db.prepare<[string], Pick<InvocationRow, 'wanted'>>('SELECT wanted FROM invocations WHERE callId = ?');
  return (callId) => {
    const row = wanted.get(callId);
    return row === undefined ? null : (JSON.parse(row.wanted) as CallOptions);
  };
}

type InvocationAskRow = Pick<BatchRow, 'door' | 'agent' | 'tenant'>;
type ScopedQuery = InvocationScope & { readonly invocationId: string };

function prepare(db: Database) {
  const inScope = 'bearer = @bearer AND agent = @agent AND tenant = @tenant';
  return {
    folderOf: db.prepare<[string], { readonly workspace: string }>(
      "SELECT workspace FROM batches WHERE sessionId = ? AND door = 'gateway' AND workspace <> '' ORDER BY id LIMIT 1",
    ),
    byId: db.prepare<[ScopedQuery], InvocationRow>(
      `SELECT * FROM invocations WHERE ${inScope} AND invocationId = @invocationId`,
    ),
    byKey: db.prepare<[InvocationScope & { readonly keyHash: string }], InvocationRow>(
      `SELECT * FROM invocations WHERE ${inScope} AND keyHash = @keyHash`,
    ),
    ofBearer: db.prepare<[string, string], Pick<InvocationRow, 'callId'>>(
      'SELECT callId FROM invocations WHERE bearer = ? AND invocationId = ? ORDER BY claimedAt LIMIT 1',
    ),
    claimOf: db.prepare<[string], InvocationRow>('SELECT * FROM invocations WHERE callId = ?'),
    take: db.prepare(
      `INSERT INTO invocations (callId, bearer, agent, tenant, invocationId, keyHash, digest, wanted, claimedAt)
       VALUES (@callId, @bearer, @agent, @tenant, @invocationId, @keyHash, @digest, @wanted, @claimedAt)`,
    ),
    again: db.prepare(
      'UPDATE invocations SET keyHash = @keyHash, digest = @digest, wanted = @wanted, claimedAt = @claimedAt WHERE callId = @callId',
    ),
    keep: db.prepare<[string, string]>('UPDATE invocations SET keyHash = ? WHERE callId = ?'),
    asker: db.prepare<[string], InvocationAskRow>(
      'SELECT b.door, b.agent, b.tenant FROM calls c JOIN batches b ON b.id = c.batch WHERE c.callId = ?',
    ),
    whole: db.prepare<[string], CallRow & BodyRow>(
      'SELECT * FROM calls c JOIN bodies b ON b.call = c.id WHERE c.callId = ?',
    ),
    batch: db.prepare<[number], BatchRow>('SELECT * FROM batches WHERE id = ?'),
    durations: db.prepare<[string, number], { readonly durationMs: number }>(
      `SELECT durationMs FROM calls WHERE toolId = ? AND outcome = 'success' AND durationMs IS NOT NULL ORDER BY id DESC LIMIT ?`,
    ),
  };
}

/** Digests of before had no key. */
function registerKeys({ db, digest }: InvocationDeps): void {
  const before = db
    .prepare<[], Pick<InvocationRow, 'callId' | 'digest'>>(
      "SELECT callId, digest FROM invocations WHERE digest NOT LIKE '_:%'",
    )
    .all();
  if (before.length === 0) return;
  const give = db.prepare<[string, string]>('UPDATE invocations SET digest = ? WHERE callId = ?');
  db.transaction(() => before.forEach((row) => give.run(digest(row.digest), row.callId))).immediate();
}
