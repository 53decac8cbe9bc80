import type { Door } from '#contract/vocabulary/calls.js';

/** Who asks for a call, as far as it decides what there is for them. It stays with the call for as long as that lives. */
export interface Asker {
  readonly door: Door;
  /**
   * Whose token or named pipe it came with; null for the person's own token, for who has none, and for the person. The
   * names that clients give themselves are not this.
   */
  readonly agent: string | null;
}
