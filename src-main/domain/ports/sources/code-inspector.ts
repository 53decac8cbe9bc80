/**
 * Finds the code that a command of a source or a hook loads and that is not the system’s own: one answer for what is
 * accepted, kept and mounted.
 */
export interface CodeInspector {
  /** Looks at the code as it is now. */
  inspect(asked: LaunchRequest): InspectedCode;
  /** Prepares the start so that it runs exactly the code that was looked at. Throws where that has changed by now. */
  prepareStart(
    code: InspectedCode,
    held: { readonly isConfined: boolean; readonly folder: string | null },
  ): Promise<PinnedStart>;
}

export interface LaunchRequest {
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd: string | null;
  /** The program's own variables, with those whose values name keys left out. */
  readonly environment?: Readonly<Record<string, string>>;
  /** Whether it is given the folder that is open. */
  readonly seesFolder: boolean;
  /** Files that are no part of it, though they lie in its folder. */
  readonly leaveOut?: readonly string[];
  /** Whether a place is looked at, kept and compared; the others are seen as they are. Left out: all of them are. */
  readonly counts?: (place: string) => boolean;
}

export interface InspectedCode {
  readonly words: LaunchRequest;
  /** The digests of all files of a part, by the part's canonical place. */
  readonly files: Readonly<Record<string, string>>;
  /** Why the code that runs can be another than was looked at; empty where it can’t. */
  readonly notPinned: readonly UnpinnedReason[];
}

/** A reason why code is not pinned, as a person reads it. */
export interface UnpinnedReason {
  readonly words: string;
  /** Whether the command names a place that tools may write to: the code is theirs to change. */
  readonly byTools: boolean;
}

export interface PinnedStart {
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd: string | null;
  /** The paths outside the workspace that it sees. */
  readonly reads: readonly string[];
  /** The copies that are mounted over the files at their places. */
  readonly copies: readonly PinnedCopy[];
}

export interface PinnedCopy {
  /** The canonical place. */
  readonly at: string;
  readonly from: string;
}
