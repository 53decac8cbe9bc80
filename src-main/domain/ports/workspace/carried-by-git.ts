/** Changes to files that other programs obey which Git was made to carry, besides the working tree. */
export interface CarriedByGit {
  /** Paths that were taken out of the index, from the root of the workspace. */
  readonly index: readonly string[];
  /** Commits with such changes that were on no branch before. */
  readonly commits: readonly CarriedCommit[];
  /** Every new commit of the branch that is checked out, the latest first. */
  readonly made: readonly string[];
  /** False where not all of it could be looked at, or taken out. */
  readonly complete: boolean;
}

export interface CarriedCommit {
  readonly id: string;
  /** The commit that it was made on; null where there is none. */
  readonly parent: string | null;
  readonly paths: readonly string[];
}
