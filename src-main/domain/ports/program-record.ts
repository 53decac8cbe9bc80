import type { ProgramEnded, ProgramStarted } from '../call/program-facts.js';

/** Records a program that runs without being a call as a call is recorded: before it runs. */
export interface ProgramRecord {
  /** Records the start. Throws where that can’t be done; then the program is not started. */
  recordStart(facts: ProgramStarted): void;
  /** Records that the program ended by itself. */
  recordEnd(facts: ProgramEnded): void;
}
