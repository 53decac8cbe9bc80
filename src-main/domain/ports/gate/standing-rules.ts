import type { RememberScope } from '#contract/vocabulary/decisions.js';
import type { RunnerChange } from '#contract/vocabulary/effects.js';
import type { ValidatedCall } from '../../call/call-stages.js';
import type { Grant } from '../../call/journal-events.js';
import type { StandingConfirmation } from '../../policy/standing-confirmation.js';
import type { PlanningSituation } from './planner.js';

/** What a runner ran when a rule for it was first used in a folder. */
export interface RunnerText {
  readonly file: string;
  readonly digest: string;
  /** For the difference; without secrets, and null where it is too long to keep. */
  readonly text: string | null;
}

/** Where they are kept. */
export interface RunnerTexts {
  find(rule: StandingConfirmation, folder: string): RunnerText | null;
  keep(rule: StandingConfirmation, folder: string, text: RunnerText): void;
}

/** What the person’s rules say of a call. */
export type RuleVerdict =
  | { readonly kind: 'run'; readonly grant: Pick<Grant, 'rule' | 'from' | 'runs' | 'leastConfinement'> }
  /** Why a rule that would have covered it does not, and what it would run instead of what it ran. */
  | { readonly kind: 'ask'; readonly why: string | null; readonly runnerChange: RunnerChange | null };

export interface StandingRules {
  verdictOn(call: ValidatedCall, situation: PlanningSituation): Promise<RuleVerdict>;
  /** The person said “always” to this command: what a runner runs now is what they said it to. */
  remember(what: NewRule, situation: PlanningSituation, scope: RememberScope): Promise<void>;
}

export interface NewRule {
  readonly tool: string;
  readonly command?: string;
  readonly prefix?: string;
}

/** Where “Remember” puts a yes. */
export interface ConfirmationBook {
  /** Those of this session besides the configured ones. */
  readonly session: readonly StandingConfirmation[];
  remember(rule: StandingConfirmation, scope: RememberScope): Promise<void>;
}
