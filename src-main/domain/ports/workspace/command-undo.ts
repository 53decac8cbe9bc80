/**
 * Makes a command's changes undoable, though they go round the workspace's transactions: whoever ran the command says
 * what was there before and after it, and it is kept like a transaction's own images.
 */
export interface CommandUndo {
  /** Starts to note who else changes the workspace; called before the first look at it. */
  watch(root: string): CommandWatch;
  /**
   * Keeps the record from which the call is undone; durable when this resolves. It is settled from the start: nothing
   * of a command is ever rolled back. Gives the paths that can be undone now; the others are too large to be kept.
   * Throws ToolFailure, and then nothing is kept.
   */
  keep(record: CommandRecord): Promise<ReadonlySet<string>>;
  /** Whether this content would be kept. */
  wouldKeep(content: Uint8Array): Promise<boolean>;
}

/** Notes who else changed a workspace while a command ran in it. */
export interface CommandWatch extends Disposable {
  /** Ends the watch after the last look: what happens from now on is others' doing alone. */
  [Symbol.dispose](): void;
  /** Whether another command ran at the same time, in the same folder or one around or in it. */
  readonly isSharedWithCommand: boolean;
  /** Whether a file tool, or an undo, changed this path meanwhile. */
  wasChangedByTool(relative: string): boolean;
  /**
   * The state in which a tool left the path the last time: null where it removed it, undefined where none touched it.
   */
  getToolLeftState(relative: string): ToolLeftState | null | undefined;
}

/** A mode of null: the tool left that as it was. */
export type ToolLeftState =
  LinkState | { readonly kind: 'file'; readonly sha256: string; readonly mode: number | null };

export interface CommandRecord {
  readonly callId: string;
  readonly root: string;
  /** The changes, one at a time, so that not all their bytes are in memory. Each differs. */
  readonly changes: AsyncIterable<CommandChange>;
  /** Folders that the command made: they go with the files that are undone, if nothing else is in them. */
  readonly createdFolders: readonly string[];
  /** The effects that undo leaves, in words: “1 commit (d9572f6)”. Asked after the last of the changes. */
  readonly leaves: () => readonly string[];
  /** Folders that it removed: they come back with the files, no wider open than they were. */
  readonly removedFolders: readonly { readonly relative: string; readonly mode: number }[];
}

export interface CommandChange {
  /** The path from the root, forward slashes. */
  readonly relative: string;
  readonly before: LinkState | (FileState & { readonly content: Uint8Array }) | null;
  readonly after: LinkState | FileState | null;
  /** Whether the change is the command’s own, and nobody else’s: its words name it. */
  readonly isSure: boolean;
}

export interface LinkState {
  readonly kind: 'link';
  readonly target: string;
}

export interface FileState {
  readonly kind: 'file';
  readonly sha256: string;
  readonly size: number;
  readonly mode: number;
  readonly uid: number;
  readonly gid: number;
  /**
   * The bytes. Null where they are too many to be kept; the hash still tells whether the file is as the command left
   * it.
   */
  readonly content: Uint8Array | null;
}
