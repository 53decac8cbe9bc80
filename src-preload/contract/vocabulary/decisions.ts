/** A rule as the person wants it made of the call that they approve. Main makes it, of the call that it holds. */
export interface RuleWanted {
  /** The whole command (or all that the tool is asked for), or all that begin with the words that were offered. */
  readonly what: 'whole' | 'first-words';
  /** The agent that asked, by its token; for one without a token, its session. */
  readonly who: 'asker' | 'all';
  readonly where: 'here' | 'everywhere';
  readonly until: 'quit' | 'always';
  /** The places outside that commands may read by it, of those that were offered; left out: none. */
  readonly readable?: readonly string[];
}

export type Decision =
  | { readonly kind: 'approve-all' }
  | { readonly kind: 'approve-selected'; readonly callIds: readonly string[] }
  | { readonly kind: 'deny-all' };
