import type { GitCommands } from './git-work.js';

/** What a command may leave of the files that other programs obey. */
export interface MayLeave {
  /** Its own words are Git's, or the person said that it may write to `.git`. */
  readonly git: boolean;
  /** Those words: what Git itself may leave goes by them. Null where the person said it, whatever the command is. */
  readonly gitCommands: GitCommands | null;
  /** What the sheet named that the person approved, from the root; a folder stands for what is in it. */
  readonly named: readonly string[];
}
