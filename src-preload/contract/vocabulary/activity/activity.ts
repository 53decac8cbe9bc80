import type { Door } from '../calls.js';

/** Counts of one session's activity in a span of time. */
export interface SessionActivity {
  readonly session: string;
  readonly door: Door;
  readonly client: string | null;
  readonly agent: string | null;
  /** The folder it worked in last. */
  readonly workspace: string;
  /** When its first and its last call were asked for (Unix ms). */
  readonly firstAt: number;
  readonly lastAt: number;
  readonly calls: number;
  /** Calls that read, that ran a command, that ran elsewhere; what was denied or failed is counted there alone. */
  readonly read: number;
  readonly ran: number;
  readonly elsewhere: number;
  readonly denied: number;
  readonly failed: number;
  /** Files that its calls changed, each counted once. */
  readonly files: number;
}

export interface ActivityPage {
  /** The one that was asked last first. */
  readonly sessions: readonly SessionActivity[];
  /** False where there were more calls than were counted: these are the latest. */
  readonly complete: boolean;
}
