import type { QuarantinedFile, QuarantineView } from '#contract/vocabulary/activity/quarantine.js';
import type { Sandbox } from './sandbox.js';
import type { WorkspaceTransaction } from './transaction.js';

/** The state of a path when it was last known to be right. */
export type KnownState =
  | { readonly kind: 'file'; readonly sha256: string; readonly mode: number }
  | { readonly kind: 'link'; readonly target: string }
  /** A pipe, a device, or a file too large to be kept. */
  | { readonly kind: 'unkept' };

/** A change that may not stay. */
export interface ChangeToQuarantine {
  /** The path from the root, forward slashes. */
  readonly path: string;
  readonly change: QuarantinedFile['change'];
}

/** Keeps the changes that commands made to files that other programs obey, and what these files were before. */
export interface QuarantineStore {
  /**
   * Keeps the files at these paths, so that they can be put back whatever ends the app; durable when it resolves. What
   * was kept of those in `asBefore` stays what it was.
   */
  keepKnown(
    root: string,
    paths: readonly string[],
    asBefore: readonly string[],
  ): Promise<ReadonlyMap<string, KnownState>>;
  /** The state of this root that was kept last; null where none is. */
  loadKnown(root: string): Promise<ReadonlyMap<string, KnownState> | null>;
  /** The text of a small file as it was kept last. */
  loadKnownText(root: string, path: string): Promise<string | null>;
  /**
   * Keeps the files at these paths as they are now, durably, and only then takes them away and puts the known state
   * back. Cut off anywhere, it can be done again, and nothing is lost. `shownBelow`: the prefix that their paths are
   * shown with.
   */
  quarantine(
    callId: string,
    root: string,
    changes: readonly ChangeToQuarantine[],
    shownBelow?: string,
  ): Promise<readonly QuarantinedFile[]>;
  /** Every file that was put aside after this call. */
  listQuarantined(callId: string): Promise<readonly QuarantinedFile[]>;
  view(callId: string, sandbox: Sandbox): Promise<QuarantineView | null>;
  /** Stages the changes that bring these files back as the command left them. Throws ToolFailure where one can't be. */
  stage(request: ReleaseRequest): Promise<readonly QuarantinedFile[]>;
}

export interface ReleaseRequest {
  readonly callId: string;
  readonly paths: readonly string[] | null;
  readonly sandbox: Sandbox;
  readonly transaction: WorkspaceTransaction;
}
