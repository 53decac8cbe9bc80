/**
 * A row of the table of sensitive places. Every reader has its column here, and every cell is decided: what one of them
 * knows and another does not is how a file that nobody may write came to be written.
 */
export interface SensitivePlace {
  /**
   * Runs of names, as they are usually written: the place itself and all that is in it, in any case and normal form. In a
   * name, `*` stands for any characters.
   */
  readonly at: readonly string[];
  /** Names that a `*` in `at` does not stand for: they have a row of their own. */
  readonly but?: readonly string[];
  /** `home`: only where the run begins at the person's home folder. */
  readonly below: 'anywhere' | 'home';
  /** The program that obeys the place or keeps it, and when: “Git runs it …”. Read after the path. */
  readonly what: string;
  readonly columns: PlaceColumns;
}

export interface PlaceColumns {
  /** File tools refuse it, whatever they are asked. */
  readonly deniedToTools: boolean;
  /** A confined command does not see it where it lies in the home folder. */
  readonly hiddenFromCommands: boolean;
  /** A confined command can read it where it exists, and not write it, unless its approved sheet named it. */
  readonly readOnlyForCommands: boolean;
  /** Whether what a command made, changed or deleted of it is taken away after the command, and offered back. */
  readonly putAside: boolean;
  /** Whether a call that names it to change it always asks, whatever was allowed in advance. */
  readonly alwaysAsks: boolean;
  /** Pointed at on the sheet, and among what a command changed. */
  readonly marked: boolean;
  /** A file of secrets: who reads it is asked about. `if-found` only where something in it looks like one. */
  readonly secret: 'yes' | 'if-found' | 'no';
}
