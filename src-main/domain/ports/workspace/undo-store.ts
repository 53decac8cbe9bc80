import type { ChangedFile } from '#contract/vocabulary/calls.js';
import type { ChangedPath } from '#contract/vocabulary/activity/changes.js';
import type { PlannedUndo, UndoFile, UndoPreview } from '#contract/vocabulary/undo.js';
import type { Sandbox } from './sandbox.js';
import type { WorkspaceTransaction } from './transaction.js';

/** What settled calls changed, and how to take it back. */
export interface UndoStore {
  /** Null when nothing is kept of this call. Reads only. */
  preview(callId: string, sandbox: Sandbox): Promise<UndoPreview | null>;
  /**
   * The same for the files that `stage` would take back if it were asked the same: who judges them judges those, however
   * they are spelt. Throws ToolFailure for a path that the call did not change.
   */
  look(request: Omit<UndoRequest, 'transaction'>): Promise<readonly UndoLook[] | null>;
  /**
   * Stages on `transaction` all that takes the call's changes back (of `paths` only, unless null). Throws ToolFailure
   * naming the files when one of them can't be taken back; the transaction is then to be dropped.
   */
  stage(request: UndoRequest): Promise<readonly UndoneFile[]>;
  /** What of all these calls did still stands, a file at a time: what it was before the first, and after the last. */
  changes(calls: readonly ChangingCall[]): Promise<StandingChanges>;
  /** What undoing it would do to these files of it, or to all of them, and what stands in the way. Reads only. */
  /** What undoing these calls leaves of what they did, in words. */
  leaves(callIds: readonly string[]): Promise<readonly string[]>;
  plan(
    calls: readonly ChangingCall[],
    paths: readonly string[] | null,
    sandbox: Sandbox,
  ): Promise<readonly PlannedUndo[]>;
  /** Which of the call's files can still be taken back, as far as what is kept tells. Null: nothing is kept. */
  changedFiles(callId: string): Promise<readonly ChangedFile[] | null>;
  /** Retention: forgets what was changed before this moment (Unix ms), and what is over the quota. */
  prune(olderThan: number): Promise<void>;
}

export interface UndoLook {
  readonly file: UndoFile;
  /** As the sandbox is asked for it. */
  readonly asked: string;
  /** What must stand there to be taken back: a file with this SHA-256; null: nothing, or a link. */
  readonly sha256: string | null;
}

/** A call that changed files, and the earlier ones that it undid. */
export interface ChangingCall {
  readonly callId: string;
  readonly undoes: readonly string[];
}

export interface StandingChanges {
  readonly files: readonly Omit<ChangedPath, 'lasting'>[];
  /** The calls of which something is kept. */
  readonly kept: ReadonlySet<string>;
}

/** A call, and which of its files; null: all of them. */
export interface UndoOf {
  readonly callId: string;
  readonly paths: readonly string[] | null;
}

export interface UndoRequest {
  /** The latest call first. What several changed is put back to what it was before the first of them. */
  readonly of: readonly UndoOf[];
  readonly sandbox: Sandbox;
  readonly transaction: WorkspaceTransaction;
}

export interface UndoneFile {
  readonly path: string;
  readonly action: 'restored' | 'deleted' | 'recreated';
  /** Of what stands there now; null where nothing or a link does. */
  readonly sha256: string | null;
}
