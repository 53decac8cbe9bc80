import type { GitCommands } from './git-work.js';

/** The changes that a command may leave in the files that other programs obey. */
export interface LeaveAllowance {
  /** Whether its own words are Git's, or the person said that it may write to `.git`. */
  readonly git: boolean;
  /**
   * The Git commands among its words: what Git itself may leave goes by them. Null where the person said it, whatever
   * the command is.
   */
  readonly gitCommands: GitCommands | null;
  /** Paths that the approved sheet named, from the root; a folder means what is in it. */
  readonly named: readonly string[];
}
