/** What a command of a source or a hook loads that is not the system’s own: one answer for what is accepted, kept and mounted. */
export interface OwnCode {
  /** As it stands now. */
  look(asked: StartWords): CodeNow;
  /** How it is started so that it runs on what was looked at. Throws where that is another by now. */
  start(code: CodeNow, held: { readonly isConfined: boolean; readonly folder: string | null }): Promise<PinnedStart>;
}

export interface StartWords {
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd: string | null;
  /** Its own variables, with those whose values stand for keys left out. */
  readonly environment?: Readonly<Record<string, string>>;
  /** Whether it is given the folder that is open. */
  readonly seesFolder: boolean;
  /** Files that are no part of it, though they lie in its folder. */
  readonly leaveOut?: readonly string[];
  /** Which of its places are looked at, kept and compared; the others are seen as they stand. Left out: all of them. */
  readonly counts?: (place: string) => boolean;
}

export interface CodeNow {
  readonly words: StartWords;
  /** By the place of each part, which is canonical: the digest of all that is in it. */
  readonly files: Readonly<Record<string, string>>;
  /** Why what runs can be another than was looked at; empty where it can’t. */
  readonly notPinned: readonly NotPinned[];
}

/** One reason, as a person reads it. */
export interface NotPinned {
  readonly words: string;
  /** It names a place that tools may write to: what runs is theirs to change. */
  readonly byTools: boolean;
}

export interface PinnedStart {
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd: string | null;
  /** What it sees of what lies outside the workspace. */
  readonly reads: readonly string[];
  /** What stands at a place instead of what lies there: its copy. */
  readonly copies: readonly PinnedCopy[];
}

export interface PinnedCopy {
  /** Canonical. */
  readonly at: string;
  readonly from: string;
}
