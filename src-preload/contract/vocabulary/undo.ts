/** One file of an undo, as its preview shows it. The three versions: before the call, after it, and now. */
export interface UndoFile {
  readonly path: string;
  readonly action: 'restore' | 'delete' | 'recreate';
  readonly possible: boolean;
  /** Why not: changed since, image not kept, … */
  readonly problem: string | null;
  /** It changed while a command ran that doesn’t name it: somebody else may have changed it. */
  readonly mayBeOthers: boolean;
  /** Rights (the permission bits) that the call changed, and that change back; null where it left them. */
  readonly rights: { readonly before: number; readonly after: number } | null;
  readonly before: string | null;
  readonly after: string | null;
  readonly current: string | null;
}

export interface UndoPreview {
  readonly callId: string;
  readonly files: readonly UndoFile[];
  /** What undoing leaves of what the call did, in words: “1 commit (d9572f6)”. */
  readonly leaves: readonly string[];
}

/** One file of an undo of several calls. */
export interface PlannedUndo extends UndoFile {
  /** Whose changes of it are undone, the latest call first. */
  readonly callIds: readonly string[];
  /** It goes back only to what something else made of it between the calls. */
  readonly partly: boolean;
}

/** What undoing calls would do. */
export interface UndoPlan {
  readonly files: readonly PlannedUndo[];
  /** What stays as they left it, and why. */
  readonly lasting: readonly { readonly path: string; readonly why: string }[];
  /** What undoing leaves of what they did, in words. */
  readonly leaves: readonly string[];
  /** The calls whose changes these are, the latest first. */
  readonly callIds: readonly string[];
}
