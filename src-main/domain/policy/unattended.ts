import type { Config } from '#contract/vocabulary/config.js';
import type { DecidingRule } from '#contract/vocabulary/rules.js';

/**
 * The calls that may run without a person where their settings say so: an edit that can be undone, a command that can
 * do no lasting harm. `against`: why not this one, in words; null where nothing is against it.
 */
export type Unattended =
  | { readonly what: 'edit'; readonly against: string | null }
  | {
      readonly what: 'command';
      readonly against: string | null;
      /** Why it is an edit as well, which asks where edits do; null where it is none. */
      readonly edits: string | null;
      /** The places that the command may write to when it runs so. */
      readonly writes: UnattendedWrites;
      /** Digest of all that it was read as: what was judged is what runs, or it is judged again. */
      readonly reading: string;
    };

/** The limits on writes of a command that nobody was asked about: what can be put back after it, or nothing. */
export interface UnattendedWrites {
  readonly writes: 'kept' | 'nothing';
  /** Paths that the command names to delete, from the root: in there nothing goes without a copy. */
  readonly deletes: readonly string[];
}

/** The verdict of one of the person's modes on a call that would ask; null where none speaks. */
export type ModeVerdict = DecidingRule & { readonly kind: 'run' | 'ask'; readonly words: string };

export function judgeByMode(unasked: Unattended | null, { tools: { approval } }: Config): ModeVerdict | null {
  switch (unasked?.what) {
    case undefined:
      return null;
    case 'edit':
      return approval.edits === 'collect' ? modeVerdict('settings.collect', COLLECTS, unasked.against) : null;
    case 'command': {
      if (approval.commands !== 'sandbox') return null;
      const edits = approval.edits === 'collect' ? null : unasked.edits;
      return modeVerdict('settings.sandbox', SANDBOXED, unasked.against ?? edits);
    }
  }
}

const COLLECTS = 'Edits in this folder run without asking and can be undone.';
const SANDBOXED = 'It runs sandboxed with no network, and its changes can be undone.';

const modeVerdict = (id: ModeVerdict['id'], runs: string, against: string | null): ModeVerdict => ({
  kind: against === null ? 'run' : 'ask',
  layer: 'settings',
  id,
  words: against ?? runs,
});
