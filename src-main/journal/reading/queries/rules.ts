import type { Database } from 'better-sqlite3';
import type { JsonObject } from '#contract/vocabulary/json.js';
import type { EarlierQuestion, RuleUse } from '../../../domain/ports/journal.js';
import { IS_LET_RUN, LET_RUN_BY } from '../../opening/migrations/0018-record.js';

const RULE_NAME = /^confirmation:(.*)$/u;

/** How often each rule let a call run, and when it last did. Several may have let one run, each its part of it. */
export function readRuleUses(db: Database): Readonly<Record<string, RuleUse>> {
  const rows = db
    .prepare<[], { rule: string; used: number; last: number | null }>(
      `SELECT r.rule, r.used, c.startedAt AS last FROM (
         SELECT ${LET_RUN_BY} AS rule, count(DISTINCT call) AS used, max(call) AS newest FROM events
         WHERE ${IS_LET_RUN} GROUP BY rule
       ) r LEFT JOIN calls c ON c.id = r.newest`,
    )
    .all();
  const uses = new Map<string, RuleUse>();
  for (const { rule, used, last } of rows)
    for (const id of RULE_NAME.exec(rule)?.[1]?.split('+') ?? []) {
      const before = uses.get(id) ?? { used: 0, last: null };
      const newest = Math.max(before.last ?? 0, last ?? 0);
      uses.set(id, { used: before.used + used, last: newest === 0 ? null : newest });
    }
  return Object.fromEntries(uses);
}

/** The calls that this rule let run: a condition, and its value. */
export const buildRuleCondition = (id: string): { readonly condition: string; readonly value: string } => ({
  condition: `c.id IN (SELECT call FROM events WHERE ${IS_LET_RUN}
    AND instr('+' || substr(${LET_RUN_BY}, length('confirmation:') + 1) || '+', ?) > 0)`,
  value: `+${id}+`,
});

/** Reads the questions that the person was asked, among the last so many calls; the newest first. */
export function readAskedBefore(db: Database, among: number): readonly EarlierQuestion[] {
  return db
    .prepare<[number], Omit<EarlierQuestion, 'arguments' | 'denied'> & { arguments: string; denied: number }>(
      `SELECT c.callId, c.tool, c.toolId, c.summary, coalesce(d.originalArguments, d.arguments) AS arguments, b.agent,
         json_extract(e.body, '$.details.rule') AS rule, coalesce(c.code = 'DeniedByPerson', 0) AS denied
       FROM (SELECT * FROM calls ORDER BY id DESC LIMIT ?) c
       JOIN batches b ON b.id = c.batch JOIN bodies d ON d.call = c.id JOIN events e ON e.call = c.id
       WHERE c.settled = 1 AND b.door <> 'window' AND json_extract(e.body, '$.state') = 'VALIDATED'
         AND json_extract(e.body, '$.note') LIKE 'Waiting for a decision:%'
       GROUP BY c.id ORDER BY c.id DESC`,
    )
    .all(among)
    .map(({ arguments: args, denied, ...row }) => ({
      ...row,
      arguments: JSON.parse(args) as JsonObject,
      denied: denied === 1,
    }));
}
