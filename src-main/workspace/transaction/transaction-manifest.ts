import type { LineChanges } from '#contract/vocabulary/calls.js';
import type { ImageRef } from '../images/image-store.js';

/** The state of a file or link at a path, now or before. */
export type NodeState =
  | {
      readonly kind: 'file';
      readonly sha256: string;
      readonly size: number;
      readonly mode: number;
      readonly uid: number;
      readonly gid: number;
      /** Null: its bytes are nowhere (an after-image that was too large to keep). */
      readonly image: ImageRef | null;
    }
  | { readonly kind: 'link'; readonly target: string };

export interface ManifestFile {
  readonly root: string;
  /** The path from the root, with forward slashes. */
  readonly relative: string;
  /** The path as the tool was given it: it leads there again through the sandbox. */
  readonly asked: string;
  /** The name of the temporary file beside the file; whatever has this name is ours. */
  readonly temp: string;
  readonly before: NodeState | null;
  /** Mode and owner of a file that is new are known only when it is made: they are -1 then. */
  readonly after: NodeState | null;
  /** Left out for what is no text, and where it could not be counted. */
  readonly lines?: LineChanges;
  /** Set where the file changed while a command ran, and may have been changed by somebody else. */
  readonly mayBeOthers?: true;
}

/**
 * The plan of a transaction, durable before it does anything; after the call is settled the same file is the record
 * from which it is undone.
 */
export interface TransactionManifest {
  readonly version: 1;
  readonly callId: string;
  readonly at: number;
  /** Where its images are. */
  readonly segment: number;
  readonly files: readonly ManifestFile[];
  /** Folders that were missing and are created, outermost first. */
  readonly folders: readonly {
    readonly root: string;
    readonly relative: string;
    /** The mode of a folder that is made again as it was; without it the umask decides. */
    readonly mode?: number;
  }[];
  /** Folders that are removed if they are left empty, innermost first. */
  readonly prunes: readonly { readonly root: string; readonly relative: string; readonly mode: number }[];
  /**
   * The folders that a command removed (only in a command's record). Files that come back into them find them as they
   * were.
   */
  readonly removed?: readonly { readonly relative: string; readonly mode: number }[];
  /**
   * The files that could not be kept, and where each lies now, from the root (only in a record of quarantined files).
   */
  readonly moved?: readonly { readonly relative: string; readonly to: string }[];
  /** The files that could not be removed after all (only in a record of quarantined files). */
  readonly stayed?: readonly string[];
  /** Paths at which there was something that has no content to be kept, or too much. */
  readonly unkept?: readonly string[];
  /** The effects of a command that undo leaves, in words. */
  readonly leaves?: readonly string[];
  /** Counts up within one run of the app: what came later is put back first. */
  readonly order: number;
}

export const wasKept = (state: NodeState | null): boolean =>
  state === null || state.kind === 'link' || (state.image !== null && state.image.kind === 'segment');

/** Relative paths are shown as they are; what was asked absolutely is shown so. */
export function shownPath(file: { readonly asked: string; readonly relative: string }): string {
  return file.asked.startsWith('/') || /^[A-Za-z]:/.test(file.asked) ? file.asked : file.relative;
}
