import type { NamedFile } from '../../reading/reading.js';
import type { WatchedPlace } from './workspace-watch.js';

/** What stands at the paths that a command names, as it counts for whether it may run unasked. From the folder it is run in. */
export interface NamedLook {
  /** What is there and would be changed or deleted without a copy, with why there would be none. */
  readonly notKept: readonly { readonly path: string; readonly why: string }[];
  /** What Git tracks of it; where that can't be told, all of it. */
  readonly tracked: readonly string[];
  /** All that the patterns and folders stand for now. */
  readonly stands: readonly string[];
}

export interface NamedFiles {
  /** Null where there is too much in the folder to be looked at. */
  lookAt(place: WatchedPlace, named: readonly NamedFile[]): Promise<NamedLook | null>;
}
