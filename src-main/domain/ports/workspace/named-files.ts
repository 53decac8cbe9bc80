import type { NamedFile } from '../../commands/reading/reading.js';
import type { WatchedFolder } from './workspace-watch.js';

/**
 * The state of the paths that a command names, by which it may or may not run unasked. Paths are from the folder it is
 * run in.
 */
export interface NamedFilesState {
  /** Files that would be changed or deleted without a copy, with why there would be none. */
  readonly notKept: readonly { readonly path: string; readonly why: string }[];
  /** The files of these that Git tracks; where that can't be told, all of them. */
  readonly tracked: readonly string[];
  /** Every file that the patterns and folders match now. */
  readonly stands: readonly string[];
}

export interface NamedFiles {
  /** Looks at the named files. Null where there is too much in the folder to be looked at. */
  lookAt(place: WatchedFolder, named: readonly NamedFile[]): Promise<NamedFilesState | null>;
}
