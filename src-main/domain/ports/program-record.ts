import type { ProgramEnded, ProgramStarted } from '../call/program-facts.js';

/** Whatever runs without being a call is on record as one is: before it runs. */
export interface ProgramRecord {
  /** Throws where that can’t be recorded; then it is not started. */
  started(facts: ProgramStarted): void;
  /** By itself. */
  ended(facts: ProgramEnded): void;
}
