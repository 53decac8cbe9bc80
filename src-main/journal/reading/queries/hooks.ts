import type { Database } from 'better-sqlite3';
import type { HookRun } from '#contract/vocabulary/hooks.js';
import type { PastHookRun } from '#contract/window/hooks.js';
import type { AuditBody } from '../../audit/audit-event.js';

/** The history of one hook: how often it ran and failed lately, and its last runs, the newest first. */
export interface HookUse {
  readonly ran: number;
  readonly failed: number;
  readonly runs: readonly PastHookRun[];
}

/** So many of the last events are looked at: a page must not read a history of years. */
const EVENTS_SEARCHED = 100_000;
const MAX_RUNS = 10_000;

/** Reads the use of hooks, by their names. */
export function readHookUses(db: Database, last: number): Readonly<Record<string, HookUse>> {
  const found = db
    .prepare<[number, number], { body: string; callId: string; tool: string }>(
      `SELECT e.body, c.callId, c.tool FROM events e JOIN calls c ON c.id = e.call
       WHERE e.seq > (SELECT coalesce(max(seq), 0) - ? FROM events) AND instr(e.body, '"type":"call-hook') > 0
       ORDER BY e.seq DESC LIMIT ?`,
    )
    .all(EVENTS_SEARCHED, MAX_RUNS);
  const uses = new Map<string, { ran: number; failed: number; runs: PastHookRun[] }>();
  for (const { body, callId, tool } of found) {
    const { timestamp, details } = JSON.parse(body) as AuditBody;
    const run = details?.['hook'] as HookRun | undefined;
    if (run === undefined) continue;
    const use = uses.get(run.name) ?? { ran: 0, failed: 0, runs: [] };
    uses.set(run.name, use);
    use.ran += 1;
    if ('failed' in run) use.failed += 1;
    if (use.runs.length < last) use.runs.push({ at: timestamp, callId, tool, run });
  }
  return Object.fromEntries(uses);
}
