/** What of this machine a command sees that nobody was asked about, and whatever else is held, besides a folder of its own. */
export interface SeenByCommands {
  /** The one that is shown; null where none is. */
  readonly folder: string | null;
  /** The system's own folders. */
  readonly system: readonly string[];
  /** Where tool chains lie, and what is read of the home folder. */
  readonly tools: readonly string[];
  /** Of the folder, where it lies elsewhere. */
  readonly repository: string | null;
  /** By the person's settings. */
  readonly readable: readonly string[];
}
