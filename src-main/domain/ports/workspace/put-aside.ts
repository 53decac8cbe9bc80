import type { PutAsideFile, PutAsideView } from '#contract/vocabulary/put-aside.js';
import type { Sandbox } from './sandbox.js';
import type { WorkspaceTransaction } from './transaction.js';

/** What stood at a path when it was last known to be right. */
export type KnownState =
  | { readonly kind: 'file'; readonly sha256: string; readonly mode: number }
  | { readonly kind: 'link'; readonly target: string }
  /** A pipe, a device, or a file too large to be kept. */
  | { readonly kind: 'unkept' };

/** Of one change that may not stay. */
export interface ToPutAside {
  /** From the root, forward slashes. */
  readonly path: string;
  readonly change: PutAsideFile['change'];
}

/** Where what commands left of the files that other programs obey is kept, and what they were before. */
export interface AsideStore {
  /**
   * Durable when it resolves: what stands at these paths, from which it can be put back whatever ends the app. What was
   * kept of those in `asBefore` stays what it was.
   */
  keepKnown(
    root: string,
    paths: readonly string[],
    asBefore: readonly string[],
  ): Promise<ReadonlyMap<string, KnownState>>;
  /** What was kept last of this root; null where nothing is. */
  known(root: string): Promise<ReadonlyMap<string, KnownState> | null>;
  /** The text of a small file as it was kept last. */
  knownText(root: string, path: string): Promise<string | null>;
  /**
   * Keeps what stands at these paths now, durably, and only then takes it away and puts back what was known. Cut off
   * anywhere, it can be done again, and nothing is lost. `shownBelow`: what their paths are told with before them.
   */
  putAside(
    callId: string,
    root: string,
    changes: readonly ToPutAside[],
    shownBelow?: string,
  ): Promise<readonly PutAsideFile[]>;
  /** All that was put aside after this call. */
  listed(callId: string): Promise<readonly PutAsideFile[]>;
  view(callId: string, sandbox: Sandbox): Promise<PutAsideView | null>;
  /** Stages what brings these files back as the command left them. Throws ToolFailure where one can't be. */
  stage(request: PutBackRequest): Promise<readonly PutAsideFile[]>;
}

export interface PutBackRequest {
  readonly callId: string;
  readonly paths: readonly string[] | null;
  readonly sandbox: Sandbox;
  readonly transaction: WorkspaceTransaction;
}
