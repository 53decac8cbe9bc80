/**
 * What a command changed goes round the workspace's transactions. This is how it comes to be undone all the same: whoever
 * ran the command says what was there before and after it, and it is kept like a transaction's own images.
 */
export interface CommandUndo {
  /** From before the first look at the workspace. */
  watch(root: string): CommandWatch;
  /**
   * Keeps the record from which the call is undone; durable when this resolves. It is settled from the start: nothing of a
   * command is ever rolled back. Gives the paths that can be undone now; the others are too large to be kept. Throws
   * ToolFailure, and then nothing is kept.
   */
  keep(record: CommandRecord): Promise<ReadonlySet<string>>;
  /** Whether this content would be kept. */
  keeps(content: Uint8Array): Promise<boolean>;
}

/** Who else changed a workspace while a command ran in it. */
export interface CommandWatch extends Disposable {
  /** After the last look: what happens from now on is nobody's but theirs. */
  [Symbol.dispose](): void;
  /** Another command ran at the same time, in the same folder or one around or in it. */
  readonly sharedWithCommand: boolean;
  /** Whether a file tool, or an undo, changed this path meanwhile. */
  wasChangedByTool(relative: string): boolean;
  /** What it made of it the last time: null where it removed it, undefined where none touched it. */
  leftByTool(relative: string): LeftByTool | null | undefined;
}

/** A mode of null: the tool left that as it was. */
export type LeftByTool = LinkState | { readonly kind: 'file'; readonly sha256: string; readonly mode: number | null };

export interface CommandRecord {
  readonly callId: string;
  readonly root: string;
  /** One at a time, so that not all their bytes are in memory. Each differs. */
  readonly changes: AsyncIterable<CommandChange>;
  /** Those that the command made: they go with the files that are undone, if nothing else is in them. */
  readonly createdFolders: readonly string[];
  /** What undo leaves of what it did, in words: “1 commit (d9572f6)”. Asked after the last of the changes. */
  readonly leaves: () => readonly string[];
  /** Those that it removed: they come back with the files, no wider open than they were. */
  readonly removedFolders: readonly { readonly relative: string; readonly mode: number }[];
}

export interface CommandChange {
  /** From the root, forward slashes. */
  readonly relative: string;
  readonly before: LinkState | (FileState & { readonly content: Uint8Array }) | null;
  readonly after: LinkState | FileState | null;
  /** The command’s own, and nobody else’s: its words name it. */
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
  /** Null where it is too much to be kept; its hash still tells whether it is what the command left. */
  readonly content: Uint8Array | null;
}
