/** A file that other programs obey, as a command left it: taken away after the command, and offered back. */
export interface QuarantinedFile {
  readonly path: string;
  readonly change: 'created' | 'modified' | 'deleted';
  /** Why it can't be put back with one click, or what else is to be known of it; null where nothing is. */
  readonly note?: string | null;
}

export interface QuarantineEntry extends QuarantinedFile {
  /** The program that would run or obey it, and when. */
  readonly what: string;
  /** Whether it can be put back now. */
  readonly possible: boolean;
  readonly problem: string | null;
  /** The text before the command and the text that the command left; null where the file was missing or is not text. */
  readonly before: string | null;
  readonly after: string | null;
}

export interface QuarantineView {
  readonly callId: string;
  readonly files: readonly QuarantineEntry[];
}
