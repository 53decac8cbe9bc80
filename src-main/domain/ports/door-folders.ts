/**
 * The open folders, as a client finds them that comes in at a door. The gate says for each call which of them it may
 * use.
 */
export interface DoorFolders {
  /** Whether the person lets this agent use the folder, where they limit it to some. */
  mayUse(agent: string | null, folder: string): boolean;
  /**
   * The folder that a session begins in, by its real path: the one that it names, else the one that the window shows, and ''
   * while none is open. Null where it is closed, does not exist, or is not this agent's.
   */
  resolveSessionFolder(named: string | null, agent: string | null): Promise<string | null>;
  /** Opens it beside the others, for who may use it: null where they may not, else its real path, or why it can't be opened. */
  openBeside(
    path: string,
    agent: string | null,
  ): Promise<{ readonly path: string } | { readonly problem: string } | null>;
}
