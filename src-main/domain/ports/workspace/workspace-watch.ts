import type { ChangedFile } from '#contract/vocabulary/calls.js';
import type { Config } from '#contract/vocabulary/config.js';
import type { PutAsideFile } from '#contract/vocabulary/put-aside.js';
import type { UnaskedWrites } from '../../policy/unasked.js';
import type { MayLeave } from '../../sensitive/may-leave.js';
import type { CarriedByGit } from './carried-by-git.js';
import type { NamedFile } from '../../reading/reading.js';
import type { FileFacts } from './sandbox.js';

/** Sees what a command does to its workspace, by looking before and after, and lets nothing stay that nobody was asked about. */
export interface WorkspaceWatch {
  /**
   * A command may run here soon: what is there is copied meanwhile, so that what the command changes can be undone. Of one
   * that nobody is asked about, all of it must be.
   */
  prepare(place: WatchedPlace, unasked: boolean): void;
  /**
   * Work in a workspace: one whose command may leave files by name, or that nobody was asked about, is alone there, since what
   * another wrote meanwhile can't be told from its own. Rejects with the signal's reason where that comes before its turn.
   */
  inTurn<T>(root: string, may: MayDo, signal: AbortSignal, work: () => Promise<T>): Promise<T>;
  /**
   * What is hidden there from whatever nobody said yes to, by path from the root: files of secrets, and what tools are denied.
   * `gitsOwn`: from Git's own commands, which see what Git tracks.
   */
  hides(root: string, config: Config, gitsOwn: boolean): readonly string[];
  /** Right before a command starts. Throws where what is there can't be kept: then it must not start. */
  begin(callId: string, place: WatchedPlace, may: MayDo): Promise<WatchedCommand>;
}

/** What a program of a source left of the files that other programs obey. */
export interface GuardedCall {
  readonly putAside: readonly PutAsideFile[];
  readonly lookComplete: boolean;
  /** By it, or by something else while it ran. */
  readonly changedFiles: readonly ChangedFile[];
  readonly changesComplete: boolean;
}

export interface GuardedWork<T> {
  readonly done: PromiseSettledResult<T>;
  readonly left: GuardedCall;
}

/** A call of a program that may write to a folder, in its turn: nothing stays of what steers other programs there. */
export type GuardCall = <T>(
  callId: string,
  root: string,
  signal: AbortSignal,
  work: () => Promise<T>,
) => Promise<GuardedWork<T>>;

/** What a command may do to its workspace. */
export interface MayDo {
  readonly mayLeave: MayLeave;
  /** Null where somebody said yes to it. */
  readonly unasked: UnaskedWrites | null;
  /** What its own words name to write, to change or to delete. */
  readonly names: readonly NamedFile[];
  /** It is held: what is read-only to it is written by somebody else. */
  readonly isHeld: boolean;
}

export interface WatchedPlace {
  readonly root: string;
  readonly isDenied: (relative: string) => boolean;
}

/** A command's changes to its workspace, from right before it starts. Disposed of when they are found, or never will be. */
export interface WatchedCommand extends AsyncDisposable {
  /** Of the workspace: what a confined command can't write to. */
  readonly readOnly: readonly string[];
  /** In that, and writable all the same. */
  readonly own: readonly string[];
  /** Of it, from the root: what is read-only because no copy of it is kept. '' is all of it. */
  readonly unkept: readonly string[];
  /** What was there right before it, by path from the root. */
  readonly before: {
    readonly files: ReadonlyMap<string, FileFacts>;
    readonly folders: ReadonlyMap<string, number>;
  };
  /** After the command: what it changed, recorded for undo where that can be. */
  end(): Promise<FoundChanges>;
}

export interface FoundChanges {
  readonly changedFiles: readonly ChangedFile[];
  readonly changedFilesComplete: boolean;
  readonly putAside: readonly PutAsideFile[];
  readonly carried: CarriedByGit;
  readonly lookComplete: boolean;
}

/** What became of files that other programs obey, besides each command's own end. */
export interface WorkspaceLeftovers {
  /** After a crash: what the command of this call left is put aside now, and taken out of what Git carries. */
  clearAfterCrash(callId: string, workspace: string): Promise<Pick<FoundChanges, 'putAside' | 'carried'>>;
  /** Whether what this call left is still to be looked at. */
  owesLook(callId: string): boolean;
  /** Whether something is in this workspace of which it could not be made sure that it may be there. */
  isInDoubt(workingDirectory: string): boolean;
  /** Paths from the root that links and settings lead programs to; null where it was too much to be looked at. */
  ledTo(root: string): Promise<ReadonlySet<string> | null>;
}

/** For who writes to a workspace for a long time, and is not watched. */
export interface StandingFiles {
  /** Absolute paths that other programs obey. */
  readonly readOnly: readonly string[];
  /** What is there now, by path from the root. */
  readonly before: WatchedCommand['before'];
}
