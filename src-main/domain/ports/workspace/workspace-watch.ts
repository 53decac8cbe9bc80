import type { ChangedFile } from '#contract/vocabulary/calls.js';
import type { Config } from '#contract/vocabulary/config.js';
import type { QuarantinedFile } from '#contract/vocabulary/activity/quarantine.js';
import type { UnattendedWrites } from '../../policy/unattended.js';
import type { LeaveAllowance } from '../../sensitive/leave-allowance.js';
import type { CarriedByGit } from './carried-by-git.js';
import type { NamedFile } from '../../commands/reading/reading.js';
import type { FileFacts, IsObeyedPath } from './sandbox.js';

/**
 * Sees what a command does to its workspace, by looking before and after, and lets no change stay that somebody should
 * have been asked about and wasn't.
 */
export interface WorkspaceWatch {
  /**
   * Gets ready for a command that may run here soon: the files there are copied meanwhile, so that the command's
   * changes can be undone. For one that nobody is asked about, all of it must be.
   */
  prepare(place: WatchedFolder, unasked: boolean): void;
  /**
   * Runs `work` in its turn in a workspace: one whose command may leave files by name, or that nobody was asked about,
   * is alone there, since what another wrote meanwhile can't be told from its own. Rejects with the signal's reason
   * where that comes before its turn.
   */
  runInTurn<T>(root: string, may: AllowedChanges, signal: AbortSignal, work: () => Promise<T>): Promise<T>;
  /**
   * Lists the paths from the root that are hidden from a command nobody said yes to: files of secrets, and those that
   * tools are denied. `gitsOwn`: for Git's own commands, which see what Git tracks.
   */
  listHiddenPaths(root: string, config: Config, gitsOwn: boolean): readonly string[];
  /**
   * Begins to watch, right before a command starts. Throws where what is there can't be kept: then it must not start.
   */
  begin(callId: string, place: WatchedFolder, may: AllowedChanges): Promise<WatchedCommand>;
}

/** The changes that a program of a source made to files that other programs obey. */
export interface GuardedCall {
  readonly putAside: readonly QuarantinedFile[];
  readonly lookComplete: boolean;
  /** Files that changed by it, or by something else while it ran. */
  readonly changedFiles: readonly ChangedFile[];
  readonly changesComplete: boolean;
  readonly createdFolders: readonly string[];
}

export interface GuardedWork<T> {
  readonly done: PromiseSettledResult<T>;
  readonly left: GuardedCall;
}

/**
 * Runs a call of a program that may write to a folder, in its turn: no change stays of files that steer other programs
 * there.
 */
export type GuardCall = <T>(
  callId: string,
  root: string,
  signal: AbortSignal,
  work: () => Promise<T>,
) => Promise<GuardedWork<T>>;

/** The changes that a command may make to its workspace. */
export interface AllowedChanges {
  readonly mayLeave: LeaveAllowance;
  /** Null where somebody said yes to it. */
  readonly unasked: UnattendedWrites | null;
  /** The files that its own words name to write, to change or to delete. */
  readonly names: readonly NamedFile[];
  /** Whether it is confined: a change to what is read-only to it is then somebody else's. */
  readonly isHeld: boolean;
}

export interface WatchedFolder {
  readonly root: string;
  readonly isDenied: (relative: string) => boolean;
}

/** A command's changes to its workspace, from right before it starts. Disposed of when they are found, or never will be. */
export interface WatchedCommand extends AsyncDisposable {
  /** Paths of the workspace that a confined command can't write to. */
  readonly readOnly: readonly string[];
  /** Paths below those that are writable all the same. */
  readonly own: readonly string[];
  /** Paths from the root that are read-only because no copy of them is kept. '' is all of it. */
  readonly unkept: readonly string[];
  /** The files and folders that were there right before it, by path from the root. */
  readonly before: {
    readonly files: ReadonlyMap<string, FileFacts>;
    readonly folders: ReadonlyMap<string, number>;
  };
  /** Ends the watch after the command: gives what it changed, recorded for undo where that can be. */
  end(): Promise<WorkspaceChanges>;
}

export interface WorkspaceChanges {
  readonly changedFiles: readonly ChangedFile[];
  readonly changedFilesComplete: boolean;
  readonly createdFolders: readonly string[];
  readonly putAside: readonly QuarantinedFile[];
  readonly carried: CarriedByGit;
  readonly lookComplete: boolean;
}

/** Cleans up changes to files that other programs obey, besides each command's own end. */
export interface WorkspaceLeftovers {
  /** Puts aside what the command of this call left when the app crashed, and takes it out of what Git carries. */
  clearAfterCrash(callId: string, workspace: string): Promise<Pick<WorkspaceChanges, 'putAside' | 'carried'>>;
  /** Whether the changes of this call are still to be looked at. */
  isLookPending(callId: string): boolean;
  /** Whether something is in this workspace that could not be made sure to be allowed. */
  isInDoubt(workingDirectory: string): boolean;
  /**
   * Tells which paths from the root links and settings lead programs to, and which new dot names a program may obey;
   * null where it was too much to be looked at.
   */
  findObeyedPaths(root: string): Promise<IsObeyedPath | null>;
}

/** The files that are protected from a program which writes to a workspace for a long time, and is not watched. */
export interface ProtectedFiles {
  /** Absolute paths that other programs obey. */
  readonly readOnly: readonly string[];
  /** The files and folders that are there now, by path from the root. */
  readonly before: WatchedCommand['before'];
}
