import type { Database } from 'better-sqlite3';
import { isCorrupt } from '../../opening/describe-problem.js';

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
