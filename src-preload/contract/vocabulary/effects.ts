/** A part of a command that deserves a second look. Offsets are UTF-16 positions in the command as shown. */
export interface CommandFinding {
  readonly start: number;
  readonly end: number;
  readonly severity: 'notice' | 'danger';
  /** The finding in plain words: “deletes build/ and everything in it”. */
  readonly explanation: string;
}

export interface FileEffect {
  readonly path: string;
  readonly change: 'created' | 'modified' | 'deleted';
  /** Null when there is none, or when it is not text or too large to show. */
  readonly before: string | null;
  readonly after: string | null;
  readonly note: string | null;
}

/** The effect that a call would have: the thing itself. */
export type Effect =
  | { readonly kind: 'files'; readonly files: readonly FileEffect[] }
  | {
      readonly kind: 'command';
      readonly command: string;
      readonly findings: readonly CommandFinding[];
      readonly rule: RuleOffer;
      /** Whether, by its own words, it is Git, which may write to its `.git`. */
      readonly git?: boolean;
      /** The things outside that it can change as well, in words; absent where nothing is known of the kind. */
      readonly mayBeShared?: string;
    }
  | { readonly kind: 'arguments' }
  /** A problem: it would fail, or can't be shown; the person sees why. */
  | { readonly kind: 'problem'; readonly message: string };

/** Whether a rule could cover a command, and what is to be said about that. */
export interface RuleOffer {
  /** Why none can; null where one can. */
  readonly impossible: string | null;
  /** First words that make a good rule; null where only the whole command does. */
  readonly prefix: string | null;
  /** A warning that it runs whatever the folder’s own scripts contain, in words; null where it does not. */
  readonly runs: string | null;
}

/**
 * A change of what a runner runs: the text that would run now, beside the text when the person allowed it in advance.
 */
export interface RunnerChange {
  readonly file: string;
  /** Null where it was not kept. */
  readonly before: string | null;
  readonly after: string;
}
