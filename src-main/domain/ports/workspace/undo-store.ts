import type { ChangedFile } from '#contract/vocabulary/calls.js';
import type { ChangedPath } from '#contract/vocabulary/activity/changes.js';
import type { PlannedUndoFile, UndoFile, UndoPreview } from '#contract/vocabulary/undo.js';
import type { Sandbox } from './sandbox.js';
import type { WorkspaceTransaction } from './transaction.js';

/** The changes of settled calls, and how to take them back. */
export interface UndoStore {
  /** Null when nothing is kept of this call. Reads only. */
  preview(callId: string, sandbox: Sandbox): Promise<UndoPreview | null>;
  /**
   * Previews the files that `stage` would take back for the same request: whoever judges them judges those, however
   * they are spelt. Throws ToolFailure for a path that the call did not change.
   */
  findCandidates(request: Omit<UndoRequest, 'transaction'>): Promise<readonly UndoCandidate[] | null>;
  /**
   * Stages on `transaction` all that takes the call's changes back (of `paths` only, unless null). Throws ToolFailure
   * naming the files when one of them can't be taken back; the transaction is then to be dropped.
   */
  stage(request: UndoRequest): Promise<readonly UndoneFile[]>;
  /**
   * Lists the changes of all these calls that were not undone, a file at a time: what it was before the first, and
   * after the last.
   */
  listRemainingChanges(calls: readonly ChangingCall[]): Promise<RemainingChanges>;
  /** Says in words which effects of these calls undoing leaves. */
  describeRemainders(callIds: readonly string[]): Promise<readonly string[]>;
  /** Says what undoing these files, or all of them, would do, and what prevents it. Reads only. */
  plan(
    calls: readonly ChangingCall[],
    paths: readonly string[] | null,
    sandbox: Sandbox,
  ): Promise<readonly PlannedUndoFile[]>;
  /**
   * Lists the call's files, and which can still be taken back as far as the kept images tell. Null: nothing is kept.
   */
  changedFiles(callId: string): Promise<readonly ChangedFile[] | null>;
  /** Retention: forgets what was changed before this moment (Unix ms), and what is over the quota. */
  prune(olderThan: number): Promise<void>;
}

export interface UndoCandidate {
  readonly file: UndoFile;
  /** The path as the sandbox is asked for it. */
  readonly asked: string;
  /** The content that must be there for it to be taken back: a file with this SHA-256; null: nothing, or a link. */
  readonly sha256: string | null;
}

/** A call that changed files, and the earlier ones that it undid. */
export interface ChangingCall {
  readonly callId: string;
  readonly undoes: readonly string[];
}

export interface RemainingChanges {
  readonly files: readonly Omit<ChangedPath, 'lasting'>[];
  /** The calls of which something is kept. */
  readonly kept: ReadonlySet<string>;
}

/** A call, and which of its files; null: all of them. */
export interface UndoTarget {
  readonly callId: string;
  readonly paths: readonly string[] | null;
}

export interface UndoRequest {
  /** The calls, the latest first. A file that several changed is put back to what it was before the first of them. */
  readonly of: readonly UndoTarget[];
  readonly sandbox: Sandbox;
  readonly transaction: WorkspaceTransaction;
}

export interface UndoneFile {
  readonly path: string;
  readonly action: 'restored' | 'deleted' | 'recreated';
  /** The SHA-256 of the file that is there now; null where there is nothing or a link. */
  readonly sha256: string | null;
}
