import type { Database } from 'better-sqlite3';
import type { CallFilter, CallPage } from '#contract/vocabulary/calls.js';
import type { LifecycleState } from '#contract/vocabulary/lifecycle.js';
import { type BatchRow, type CallRow, toSummary } from '../../writing/call-row.js';
import { buildRuleCondition } from './rules.js';
import { parseToolEntry } from '../../../domain/tool/tool-identity.js';
import { buildMatchQuery } from '../../writing/search-text.js';

export interface PageQuery {
  readonly limit: number;
  readonly before: string | null;
  readonly filter: CallFilter;
}

export type ListedRow = CallRow &
  Pick<
    BatchRow,
    'batchId' | 'door' | 'client' | 'agent' | 'workspace' | 'sessionId' | 'tenant' | 'user' | 'credential'
  >;
export const BATCH_COLUMNS =
  'b.batchId, b.door, b.client, b.agent, b.workspace, b.sessionId, b.tenant, b.user, b.credential';
type SqlValue = string | number;

const UNSETTLED = new Set<string>(['DECLARED', 'VALIDATED', 'AUTHORIZED', 'EXECUTING'] satisfies LifecycleState[]);

/** The cursor is not one that a page gave. */
export class BadCursorError extends Error {
  constructor() {
    super('This cursor is not one that an earlier page gave. Start again without it.');
    this.name = 'BadCursorError';
  }
}

/**
 * Newest first by the order in which calls came, which no clock can change; the cursor is a place in that order, so
 * new calls never shift a page. Calls that are not settled are not in the text index yet: they are few, and are
 * looked through one by one.
 */
export function readPage(db: Database, { limit, before, filter }: PageQuery): CallPage {
  const rows = selectCalls(db, filter, before === null ? null : parseCursor(before), limit + 1);
  const shown = rows.slice(0, limit);
  const last = shown.at(-1);
  return {
    calls: shown.map((row) => toSummary(row, row)),
    next: rows.length > limit && last !== undefined ? `c${last.id}` : null,
  };
}

export function selectCalls(db: Database, filter: CallFilter, before: number | null, limit: number): ListedRow[] {
  const { conditions, values } = buildConditions(db, filter);
  if (before !== null) {
    conditions.push('c.id < ?');
    values.push(before);
  }
  const words = filter.query?.trim() ?? '';
  if (words === '') return selectRows(db, 'calls c', conditions, values, 'c.id', limit);
  const match = buildMatchQuery(words);
  const settled =
    match === null
      ? []
      : selectRows(
          db,
          'calls_text t CROSS JOIN calls c ON c.id = t.rowid',
          ['calls_text MATCH ?', ...(before === null ? [] : ['t.rowid < ?']), ...conditions],
          [match, ...(before === null ? [] : [before]), ...values],
          't.rowid',
          limit,
        );
  const unsettled = selectRows(
    db,
    'calls c',
    [
      'c.settled = 0',
      ...words.split(/\s+/u).map(() => `instr(lower(c.tool || ' ' || c.summary), ?) > 0`),
      ...conditions,
    ],
    [...words.split(/\s+/u).map((word) => word.toLowerCase()), ...values],
    'c.id',
    limit,
  );
  return [...settled, ...unsettled].sort((a, b) => b.id - a.id).slice(0, limit);
}

function selectRows(
  db: Database,
  from: string,
  conditions: readonly string[],
  values: readonly SqlValue[],
  order: string,
  limit: number,
): ListedRow[] {
  const where = conditions.length === 0 ? '' : `WHERE ${conditions.join(' AND ')}`;
  return db
    .prepare<SqlValue[], ListedRow>(
      `SELECT c.*, ${BATCH_COLUMNS} FROM ${from} JOIN batches b ON b.id = c.batch
       ${where} ORDER BY ${order} DESC LIMIT ?`,
    )
    .all(...values, limit);
}

function buildConditions(db: Database, filter: CallFilter): { conditions: string[]; values: SqlValue[] } {
  const conditions: string[] = [];
  const values: SqlValue[] = [];
  const add = (condition: string, value: SqlValue | undefined): void => {
    if (value === undefined || value === '') return;
    conditions.push(condition);
    values.push(value);
  };
  const tool = buildToolCondition(db, filter.tool ?? '');
  if (tool !== null) {
    conditions.push(tool.condition);
    values.push(...tool.values);
  }
  const state = filter.state?.toUpperCase();
  // `settled` is told so that the index of settled states, or that of unsettled calls, can be used.
  add(`c.settled = ${UNSETTLED.has(state ?? '') ? 0 : 1} AND c.state = ?`, state);
  add('b.door = ?', filter.door);
  add('b.agent = ?', filter.agent);
  add(buildFolderCondition(db, filter.workspace ?? ''), filter.workspace);
  add('c.decidedBy = ?', filter.decidedBy);
  if (filter.changed !== undefined) add('c.hasChanges = ?', filter.changed ? 1 : 0);
  if (filter.exit !== undefined) add(filter.exit === 'zero' ? 'c.exitCode = ?' : 'c.exitCode <> ?', 0);
  add('b.sessionId = ?', filter.session);
  const byRule = buildRuleCondition(filter.rule ?? '');
  add(byRule.condition, filter.rule === undefined ? undefined : byRule.value);
  if (filter.from !== undefined || filter.to !== undefined) {
    const from = filter.from ?? Number.MIN_SAFE_INTEGER;
    const to = filter.to ?? Number.MAX_SAFE_INTEGER;
    // The span of the calls of that time, from the index of times: then the order of arrival needs no sorting and no
    // search past its end. The clock may have jumped, so the time itself is still asked.
    const span = db
      .prepare<[number, number], { first: number | null; last: number | null }>(
        'SELECT min(id) AS first, max(id) AS last FROM calls INDEXED BY calls_started WHERE startedAt BETWEEN ? AND ?',
      )
      .get(from, to);
    add('c.id >= ?', span?.first ?? 0);
    add('c.id <= ?', span?.last ?? 0);
    add('+c.startedAt >= ?', from);
    add('+c.startedAt <= ?', to);
  }
  return { conditions, values };
}

/**
 * The condition for a tool, as lists and rules name tools. A call that asked for a name that no tool has has no id, and
 * is found by that name.
 */
function buildToolCondition(
  db: Database,
  filter: string,
): { readonly condition: string; readonly values: readonly SqlValue[] } | null {
  if (filter === '') return null;
  const entry = parseToolEntry(filter);
  switch (entry.kind) {
    case 'name':
      return { condition: 'c.tool = ?', values: [filter] };
    case 'id':
      // Only where somebody did ask for it by that: looking for both at once sorts all there are.
      return db.prepare('SELECT 1 FROM calls WHERE tool = ? LIMIT 1').get(filter) === undefined
        ? { condition: 'c.toolId = ?', values: [filter] }
        : { condition: '(c.toolId = ? OR c.tool = ?)', values: [filter, filter] };
    case 'version':
      return { condition: 'c.toolId = ? AND c.toolVersion = ?', values: [entry.id, entry.version] };
    case 'group':
      return buildGroupCondition(db, entry.prefix);
  }
}

/**
 * The condition for a folder. It uses the index only where the folder has few calls: many are sooner found one by one,
 * the newest first, than sorted.
 */
function buildFolderCondition(db: Database, workspace: string): string {
  const counted = db
    .prepare<[string], { batches: number }>(
      `SELECT count(*) AS batches FROM (SELECT 1 FROM batches WHERE workspace = ? LIMIT ${INDEXED_BELOW_CALLS})`,
    )
    .get(workspace);
  return (counted?.batches ?? 0) < INDEXED_BELOW_CALLS ? 'b.workspace = ?' : '+b.workspace = ?';
}

const INDEXED_BELOW_CALLS = 5000;

/**
 * The condition for a group, as a range from the point that ends it to the character that follows a point: an index can
 * give that.
 */
function buildGroupCondition(
  db: Database,
  prefix: string,
): { readonly condition: string; readonly values: readonly SqlValue[] } {
  const range = [prefix, `${prefix.slice(0, -1)}/`];
  const counted = db
    .prepare<string[], { calls: number }>(
      `SELECT count(*) AS calls FROM (SELECT 1 FROM calls WHERE toolId >= ? AND toolId < ? LIMIT ${INDEXED_BELOW_CALLS})`,
    )
    .get(...range);
  // The range is in the order of ids of tools: many of them are sooner found one by one, the newest first, than sorted.
  return (counted?.calls ?? 0) < INDEXED_BELOW_CALLS
    ? { condition: 'c.toolId >= ? AND c.toolId < ?', values: range }
    : { condition: '+c.toolId >= ? AND +c.toolId < ?', values: range };
}

function parseCursor(cursor: string): number {
  const id = /^c(\d{1,15})$/u.exec(cursor)?.[1];
  if (id === undefined) throw new BadCursorError();
  return Number(id);
}
