import type { Database } from 'better-sqlite3';
import type { CallSummary, ChangedFile } from '#contract/vocabulary/calls.js';
import type { ChangesScope } from '#contract/vocabulary/activity/changes.js';
import { type BodyRow, readChangedFiles, toSummary, readUndoes } from '../../writing/call-row.js';
import { type ListedRow, BATCH_COLUMNS } from './page.js';

/** So many calls at most, the latest. */
const MAX_CALLS = 500;
const MAX_FILES = 500;

export interface ChangingCalls {
  /** The latest first. */
  readonly calls: readonly {
    readonly call: CallSummary;
    readonly undoes: readonly string[];
    /** The files that it changed, as recorded: no more of them than anybody reads. */
    readonly files: readonly ChangedFile[];
  }[];
  readonly complete: boolean;
}

/**
 * The settled calls that changed files, and what the person undid of them since. An undo is nobody's session and no agent's:
 * it belongs to what it undoes.
 */
export function readChanging(db: Database, { workspace, from, door, session, agent }: ChangesScope): ChangingCalls {
  const first = db
    .prepare<[number], { first: number | null }>(
      'SELECT min(id) AS first FROM calls INDEXED BY calls_started WHERE startedAt >= ?',
    )
    .get(from)?.first;
  if (first === null || first === undefined) return { calls: [], complete: true };
  const wanted = (['door', 'sessionId', 'agent'] as const).flatMap((column) => {
    const value = { door, sessionId: session, agent }[column];
    return value === undefined ? [] : [{ condition: `AND b.${column} = ?`, value }];
  });
  const rows = (since: number, also: string, values: readonly (string | number)[]) =>
    db
      .prepare<(string | number)[], ListedRow & Pick<BodyRow, 'changedFiles'>>(
        `SELECT c.*, ${BATCH_COLUMNS}, d.changedFiles FROM calls c JOIN batches b ON b.id = c.batch
         JOIN bodies d ON d.call = c.id
         WHERE c.id >= ? AND c.settled = 1 AND c.hasChanges = 1 AND b.workspace = ? ${also} ORDER BY c.id DESC LIMIT ${MAX_CALLS + 1}`,
      )
      .all(since, workspace, ...values);
  const own = rows(first, `AND +c.startedAt >= ? ${wanted.map(({ condition }) => condition).join(' ')}`, [
    from,
    ...wanted.map(({ value }) => value),
  ]);
  const found = new Map(own.slice(0, MAX_CALLS).map((row) => [row.callId, row]));
  const earliest = own.at(-1)?.id;
  if (wanted.length > 0 && earliest !== undefined) {
    const undos = rows(earliest, 'AND c.undoes IS NOT NULL', []);
    // From the first on: one that undoes an undo comes after it.
    for (const row of undos.toReversed())
      if (readUndoes(row).some((each) => found.has(each))) found.set(row.callId, row);
  }
  return {
    calls: [...found.values()]
      .toSorted((one, other) => other.id - one.id)
      .map((row) => ({
        call: toSummary(row, row),
        undoes: readUndoes(row),
        files: readChangedFiles(row).slice(0, MAX_FILES),
      })),
    complete: own.length <= MAX_CALLS,
  };
}
