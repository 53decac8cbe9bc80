import type { CallSummary } from '../calls.js';

/** A file as all calls of a span together left it. */
export interface ChangedPath {
  readonly path: string;
  /** The folder that it is in: a workspace, or another that tools may touch. */
  readonly folder: string;
  readonly change: 'created' | 'modified' | 'deleted';
  /** The text before the first of the calls and after the last; null where there was none, or it can't be shown. */
  readonly before: string | null;
  readonly after: string | null;
  /** The calls, the latest first. */
  readonly callIds: readonly string[];
  /** Something else changed it between two of them. */
  readonly between: boolean;
  /** Why it can't be undone, as far as the record tells; null where it can. */
  readonly lasting: string | null;
}

/** The changes that calls made, and how much of them is still there. */
export interface FolderChanges {
  readonly files: readonly ChangedPath[];
  /** The calls, the latest first. */
  readonly calls: readonly CallSummary[];
  /** False where more calls changed files than were read: these are the latest. */
  readonly complete: boolean;
  /**
   * Files of the folder that the person has not reviewed, and that may hold somebody else's words. A path that ends
   * with “/” is all that is in a folder; “/” is this one.
   */
  readonly foreign: readonly string[];
}

/** The calls to look at: those in a folder since a moment, of one session or of one agent where that is said. */
export interface ChangesScope {
  readonly workspace: string;
  readonly from: number;
  readonly door?: CallSummary['door'];
  readonly session?: string;
  readonly agent?: string;
}
