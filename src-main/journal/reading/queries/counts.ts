import type { Database } from 'better-sqlite3';
import type { LifecycleState } from '#contract/vocabulary/lifecycle.js';
import { isCorrupt } from '../../opening/problem.js';

export function countStates(db: Database): Readonly<Partial<Record<LifecycleState, number>>> {
  const rows = db
    .prepare<[], { state: LifecycleState; n: number }>(
      `SELECT state, count(*) AS n FROM calls WHERE settled = 1 GROUP BY state
       UNION ALL SELECT state, count(*) FROM calls WHERE settled = 0 GROUP BY state`,
    )
    .all();
  return Object.fromEntries(rows.map(({ state, n }) => [state, n]));
}

/** Null when the whole database is sound; otherwise SQLite's words for what is not. */
export function checkIntegrity(db: Database): string | null {
  try {
    const found = db.pragma('integrity_check(3)') as readonly { readonly integrity_check: string }[];
    const words = found.map((row) => row.integrity_check).join('; ');
    return words === 'ok' ? null : words;
  } catch (error) {
    if (!isCorrupt(error)) throw error;
    return (error as Error).message;
  }
}
