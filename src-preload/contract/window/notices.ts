/** A problem, or a thing worth knowing, that stays in sight until it is over or dismissed. */
export interface Notice {
  readonly id: string;
  readonly severity: 'info' | 'warning' | 'error';
  readonly title: string;
  /** The meaning, and what to do. */
  readonly text: string;
  /** More for those who want it, behind a fold. */
  readonly details: string | null;
  readonly dismissible: boolean;
  /** The action of its button, in the button's words; absent where there is nothing to do. */
  readonly action?: string;
}
