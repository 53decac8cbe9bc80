/**
 * Files of this machine that a command sees without anybody having been asked, whatever else is confined, besides a
 * folder of its own.
 */
export interface ReadableByCommands {
  /** The one that is shown; null where none is. */
  readonly folder: string | null;
  /** The system's own folders. */
  readonly system: readonly string[];
  /** Where tool chains lie, and what is read of the home folder. */
  readonly tools: readonly string[];
  /** The repository of the folder, where it lies elsewhere. */
  readonly repository: string | null;
  /** Paths that the person's settings make readable. */
  readonly readable: readonly string[];
}
