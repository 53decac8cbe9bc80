/** A program that is no command is about to run: a worker of the package’s, or one of a source’s. */
export interface ProgramStarted {
  /** The id of this start: its end has the same. */
  readonly run: string;
  readonly of: 'worker' | 'source';
  /** The worker, or the source. */
  readonly name: string;
  /** The domain of a worker, with its version. */
  readonly domain: string | null;
  /** The words of its command, or the image by its id. */
  readonly runs: string;
  /** The digest of the program, where one was made. */
  readonly digest: string | null;
  readonly heldBy: string;
  /** The hosts that it may reach; `*` for everything. */
  readonly hosts: readonly string[];
  /** Names of the variables that it is given. */
  readonly given: readonly string[];
}

/** A program ended, and nobody asked it to. */
export interface ProgramEnded extends Pick<ProgramStarted, 'run' | 'of' | 'name' | 'domain'> {
  readonly how: string;
}
