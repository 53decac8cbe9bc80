import type { ChangedFile } from '#contract/vocabulary/calls.js';
import type { UndoFile, UndoPreview } from '#contract/vocabulary/undo.js';
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

export interface UndoRequest {
  readonly callId: string;
  readonly paths: readonly string[] | null;
  readonly sandbox: Sandbox;
  readonly transaction: WorkspaceTransaction;
}

export interface UndoneFile {
  readonly path: string;
  readonly action: 'restored' | 'deleted' | 'recreated';
  /** Of what stands there now; null where nothing or a link does. */
  readonly sha256: string | null;
}
