import type { Database } from 'better-sqlite3';
import type { ActivityPage, SessionActivity } from '#contract/vocabulary/activity/activity.js';
import { TEST_SESSION } from '#contract/vocabulary/calls.js';

/** So many calls are counted at most, and of them so many for the files that they changed. */
const MAX_CALLS = 20_000;
const MAX_CHANGES = 2000;
const MAX_SESSIONS = 200;

export interface ActivitySpan {
  /** Unix ms; calls asked for from the one until before the other. */
  readonly from: number;
  readonly to: number;
  /** Limits the sessions to this folder. */
  readonly workspace?: string;
}

type SessionCount = Omit<SessionActivity, 'files'> & { readonly batch: number; readonly newest: number };

/**
 * Reads the activity of each session in a span of time: the latest calls of the span, whatever the history holds
 * besides.
 */
export function readSessions(db: Database, { from, to, workspace }: ActivitySpan): ActivityPage {
  // From the index of times: what is looked through is what lies in the span.
  const span = db
    .prepare<[number, number], { first: number | null; last: number | null }>(
      'SELECT min(id) AS first, max(id) AS last FROM calls INDEXED BY calls_started WHERE startedAt >= ? AND startedAt < ?',
    )
    .get(from, to);
  const given = { from, to, first: span?.first ?? 0, last: span?.last ?? -1, workspace: workspace ?? null };
  const latest = (also: string, most: number): string =>
    `(SELECT * FROM calls WHERE id BETWEEN @first AND @last AND +startedAt >= @from AND +startedAt < @to ${also}
      AND (@workspace IS NULL OR EXISTS (SELECT 1 FROM batches own WHERE own.id = batch AND own.workspace = @workspace))
      ORDER BY id DESC LIMIT ${most})`;
  const sessions = db
    .prepare<[typeof given], SessionCount>(
      `SELECT s.*, w.client, w.workspace FROM (
         SELECT b.sessionId AS session, b.door, b.agent, max(b.id) AS batch, max(c.id) AS newest,
         min(c.startedAt) AS firstAt, max(c.startedAt) AS lastAt, count(*) AS calls,
         count(*) FILTER (WHERE c.outcome = 'success' AND c.nature = 'reads') AS read,
         count(*) FILTER (WHERE c.outcome = 'success' AND c.nature = 'command') AS ran,
         count(*) FILTER (WHERE c.outcome = 'success' AND c.nature = 'remote') AS elsewhere,
         count(*) FILTER (WHERE c.outcome = 'denied') AS denied,
         count(*) FILTER (WHERE c.outcome NOT IN ('success', 'denied')) AS failed
       FROM ${latest('', MAX_CALLS)} c JOIN batches b ON b.id = c.batch
         -- The window's own test calls stand in History alone.
         WHERE NOT (b.door = 'compose' AND b.sessionId LIKE '${TEST_SESSION}%')
         GROUP BY b.sessionId, b.door, b.agent
       ) s JOIN batches w ON w.id = s.batch ORDER BY s.newest DESC`,
    )
    .all(given);
  const files = db
    .prepare<[typeof given], { session: string; door: string; files: number }>(
      `SELECT b.sessionId AS session, b.door, count(DISTINCT json_extract(f.value, '$.path')) AS files
       FROM ${latest('AND hasChanges = 1', MAX_CHANGES)} c
       JOIN batches b ON b.id = c.batch JOIN bodies d ON d.call = c.id, json_each(d.changedFiles) f
       GROUP BY b.sessionId, b.door`,
    )
    .all(given);
  const filesOf = new Map(files.map((row) => [`${row.door} ${row.session}`, row.files]));
  const counted = sessions.reduce((sum, { calls }) => sum + calls, 0);
  return {
    sessions: sessions.slice(0, MAX_SESSIONS).map(({ batch: _batch, newest: _newest, ...row }) => ({
      ...row,
      files: filesOf.get(`${row.door} ${row.session}`) ?? 0,
    })),
    complete: counted < MAX_CALLS && sessions.length <= MAX_SESSIONS,
  };
}
