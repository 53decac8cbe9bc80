/** A file of an undo, as its preview shows it. The three versions: before the call, after it, and now. */
export interface UndoFile {
  readonly path: string;
  readonly action: 'restore' | 'delete' | 'recreate';
  readonly possible: boolean;
  /** Why not: changed since, image not kept, … */
  readonly problem: string | null;
  /** Whether the change may be somebody else's: it happened while a command ran that doesn’t name the file. */
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
  /** Effects of the call that undoing does not reverse, in words: “1 commit (d9572f6)”. */
  readonly leaves: readonly string[];
}

/** A file in the undo of several calls. */
export interface PlannedUndoFile extends UndoFile {
  /** The calls whose changes of it are undone, the latest first. */
  readonly callIds: readonly string[];
  /** Whether it goes back only to what something else made of it between the calls. */
  readonly partly: boolean;
}

/** The plan for undoing calls. */
export interface UndoPlan {
  readonly files: readonly PlannedUndoFile[];
  /** Files that stay as the calls left them, and why. */
  readonly lasting: readonly { readonly path: string; readonly why: string }[];
  /** Effects of the calls that undoing does not reverse, in words. */
  readonly leaves: readonly string[];
  /** The calls whose changes these are, the latest first. */
  readonly callIds: readonly string[];
}
