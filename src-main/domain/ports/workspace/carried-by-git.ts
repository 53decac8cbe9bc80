/** What Git was made to carry of the files that other programs obey, besides the working tree. */
export interface CarriedByGit {
  /** Taken out of the index, from the root of the workspace. */
  readonly index: readonly string[];
  /** In commits that were on no branch before. */
  readonly commits: readonly CarriedCommit[];
  /** All that is new of the branch that is checked out, the latest first. */
  readonly made: readonly string[];
  /** False where not all of it could be looked at, or taken out. */
  readonly complete: boolean;
}

export interface CarriedCommit {
  readonly id: string;
  /** The one that it was made on; null where there is none. */
  readonly parent: string | null;
  readonly paths: readonly string[];
}
