import type { Database } from 'better-sqlite3';

/** A step from the version before. It runs inside a transaction that also sets the version. */
export interface Migration {
  readonly version: number;
  readonly name: string;
  up(db: Database): void;
}
