/** A program that is no command is about to run: a worker of the package’s, or one of a source’s. */
export interface ProgramStarted {
  /** This one start of it: its end has the same. */
  readonly run: string;
  readonly of: 'worker' | 'source';
  /** The worker, or the source. */
  readonly name: string;
  /** Of a worker: its domain with its version. */
  readonly domain: string | null;
  /** Its words, or the image by its id. */
  readonly runs: string;
  /** Where what it is was digested: by that. */
  readonly digest: string | null;
  readonly heldBy: string;
  /** What it may reach; `*` for everything. */
  readonly hosts: readonly string[];
  /** Names of the variables that it is given. */
  readonly given: readonly string[];
}

/** It ended, and nobody asked it to. */
export interface ProgramEnded extends Pick<ProgramStarted, 'run' | 'of' | 'name' | 'domain'> {
  readonly how: string;
}
