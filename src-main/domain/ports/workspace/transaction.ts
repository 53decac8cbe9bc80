import type { ChangedFile } from '#contract/vocabulary/calls.js';
import type { JailedPath } from './sandbox.js';

export interface StagedWrite {
  readonly path: JailedPath;
  readonly content: Uint8Array;
  /** The file must still be exactly this (SHA-256 hex) when it is replaced; null: it must not exist. */
  readonly expected: string | null;
  /**
   * The bytes that `expected` is the hash of, where they are at hand: they are then not read once more before the last
   * look.
   */
  readonly current?: Uint8Array;
  readonly judged?: JudgedDestination;
}

/** Where a change was judged to go, and what was there: compared again in the open folders before it is made. */
export interface JudgedDestination {
  /** The innermost folder above it that was there, from the root ('' is the root), and which folder that was. */
  readonly folder: string;
  readonly folderIs: string;
  /** Whether a folder that was not there may be: it was made by what ran before. */
  readonly madeSince: (folder: string, is: string) => boolean;
  /** The state of the name, as `PathState` has it; undefined where the expected content says enough. */
  readonly stood: string | null | undefined;
}

/** The content of a path, which can be put back: a file whole, or where a link points. */
export type PathImage =
  | {
      readonly kind: 'file';
      readonly content: Uint8Array;
      readonly mode: number;
      /** The owner. Null: that of what is there, or of the app. */
      readonly owner: { readonly uid: number; readonly gid: number } | null;
    }
  | { readonly kind: 'link'; readonly target: string };

/** Undo's way of changing a path: links too, and modes. The name is not followed, so it needs no jailed path of its own. */
export interface StagedRestore {
  readonly folder: JailedPath;
  readonly name: string;
  /** The path as it was asked for when it was changed. */
  readonly asked: string;
  /** The content that must be there now; null: nothing. */
  readonly expected:
    { readonly kind: 'file'; readonly sha256: string } | { readonly kind: 'link'; readonly target: string } | null;
  /** The content that is there afterwards; null: nothing. */
  readonly wanted: PathImage | null;
  /** How many of the folders above it, innermost first, go too if they are left empty. */
  readonly pruneFolders: number;
  /** The modes with which folders above it are made, by their paths from the root, should they be missing. */
  readonly folderModes: ReadonlyMap<string, number>;
  readonly judged?: JudgedDestination;
}

/** The part of a change that could not be put back. */
export interface UnrestoredChange {
  /** At least one path: files, and what else was made for them. */
  readonly paths: readonly [string, ...string[]];
  /** The files among these that are not as they were. */
  readonly files: readonly ChangedFile[];
  readonly why: string;
}

export const buildFolderKey = (root: string, relative: string): string => `${root}\0${relative}`;

/** The paths of folders by whose keys something is kept, of those in this root. */
export const listFolderPaths = (byKey: ReadonlyMap<string, unknown>, root: string): readonly string[] =>
  [...byKey.keys()].flatMap((key) => {
    const [of, relative] = key.split('\0');
    return of === root && relative !== undefined ? [relative] : [];
  });

export interface WorkspaceTransaction {
  stageWrite(write: StagedWrite): Promise<void>;
  stageDelete(path: JailedPath, expected: string, judged?: JudgedDestination): Promise<void>;
  stageRestore(restore: StagedRestore): Promise<void>;
  readonly state: 'open' | 'committed' | 'rolled-back';
  /** The folders that the commit made, by `folderKey`, and which they are. */
  readonly made: ReadonlyMap<string, string>;
  /**
   * Makes all changes or none. On any failure ToolFailure is thrown, and everything is restored but what `rollback`
   * then names.
   */
  commit(): Promise<readonly ChangedFile[]>;
  /**
   * Restores every byte, mode and name, and says what it could not; safe to call in any state, any number of times.
   * What it could not can be undone later, from the call's record, once the result is settled.
   */
  rollback(): Promise<UnrestoredChange | null>;
  /** Forgets what was kept for crash recovery, once the journal holds the result. Undo images stay. */
  settle(): Promise<void>;
}

/** Says which changes of files can be undone. */
export interface UndoEligibility {
  /** Whether a file of this size, with this content, would be kept. The content is read only where it counts. */
  keeps(size: number, content: () => Promise<Uint8Array>): Promise<boolean>;
}

export interface WorkspaceTransactions extends UndoEligibility {
  /** `mustKeep`: nobody was asked, since all of it can be undone; where a file is not kept, nothing is changed. */
  begin(callId: string, mustKeep?: boolean): WorkspaceTransaction;
  /**
   * Recovers transactions that a crash left; called at start, before anything else. `wasSettled` says whether the
   * journal holds the call's result; then the changes stay, otherwise they are rolled back. Gives the calls that were
   * rolled back.
   */
  recover(
    wasSettled: (callId: string) => boolean,
  ): Promise<readonly { readonly callId: string; readonly files: readonly string[] }[]>;
}
