import type { Database } from 'better-sqlite3';
import type { TelemetrySnapshot, ToolTelemetry } from '#contract/vocabulary/telemetry.js';

const STEPS = 48;
/** The number of a call's step; the last one holds what is just now. */
const STEP_EXPRESSION = 'min(@steps - 1, CAST((startedAt - @from) * @steps / (@to - @from) AS INTEGER))';
const FAILED_CONDITION = "settled = 1 AND outcome NOT IN ('success', 'denied')";

/** Seed 000 §8.2, computed from what is recorded and nothing else. */
export function readTelemetry(db: Database, hours: number, now: number): TelemetrySnapshot {
  const range = { from: now - hours * 3_600_000, to: now };
  const tools = db
    .prepare<[typeof range], ToolTelemetry>(
      `SELECT tool, count(*) AS count, count(*) FILTER (WHERE outcome = 'success') AS succeeded,
         count(*) FILTER (WHERE ${FAILED_CONDITION}) AS failed, count(*) FILTER (WHERE outcome = 'denied') AS denied,
         count(*) FILTER (WHERE state = 'ROLLED_BACK') AS rolledBack,
         percentile(durationMs, 50) AS p50Ms, percentile(durationMs, 95) AS p95Ms, percentile(durationMs, 99) AS p99Ms
       FROM calls WHERE startedAt >= @from AND startedAt <= @to GROUP BY tool ORDER BY count(*) DESC, tool`,
    )
    .all(range);
  const use = db
    .prepare<[typeof range], { cpuMs: number | null; peak: number | null }>(
      'SELECT sum(cpuMs) AS cpuMs, max(peakMemoryBytes) AS peak FROM calls WHERE startedAt >= @from AND startedAt <= @to',
    )
    .get(range);
  const sum = (of: (tool: ToolTelemetry) => number): number => tools.reduce((total, tool) => total + of(tool), 0);
  const succeeded = sum((tool) => tool.succeeded);
  const settled = succeeded + sum((tool) => tool.failed) + sum((tool) => tool.denied);
  return {
    ...range,
    total: sum((tool) => tool.count),
    successRate: settled === 0 ? null : succeeded / settled,
    denials: sum((tool) => tool.denied),
    rollbacks: sum((tool) => tool.rolledBack),
    tools,
    timeline: readTimeline(db, range),
    journalBytes: Number(db.pragma('page_count', { simple: true })) * Number(db.pragma('page_size', { simple: true })),
    events: db.prepare<[], { n: number }>('SELECT coalesce(max(seq), 0) AS n FROM events').get()?.n ?? 0,
    cpuMs: use?.cpuMs ?? 0,
    peakMemoryBytes: use?.peak ?? 0,
  };
}

function readTimeline(
  db: Database,
  range: { readonly from: number; readonly to: number },
): TelemetrySnapshot['timeline'] {
  const rows = db
    .prepare<[{ from: number; to: number; steps: number }], TelemetrySnapshot['timeline'][number] & { step: number }>(
      `SELECT ${STEP_EXPRESSION} AS step, 0 AS at, count(*) FILTER (WHERE outcome = 'success') AS succeeded,
         count(*) FILTER (WHERE ${FAILED_CONDITION}) AS failed, count(*) FILTER (WHERE outcome = 'denied') AS denied
       FROM calls WHERE startedAt >= @from AND startedAt <= @to GROUP BY 1`,
    )
    .all({ ...range, steps: STEPS });
  const found = new Map(rows.map((row) => [row.step, row]));
  return Array.from({ length: STEPS }, (_, step) => ({
    at: range.from + (step * (range.to - range.from)) / STEPS,
    succeeded: found.get(step)?.succeeded ?? 0,
    failed: found.get(step)?.failed ?? 0,
    denied: found.get(step)?.denied ?? 0,
  }));
}
