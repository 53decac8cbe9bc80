import type { RuleWanted } from '#contract/vocabulary/decisions.js';
import type { RunnerChange } from '#contract/vocabulary/effects.js';
import type { ValidatedCall } from '../../call/call-stages.js';
import type { Grant } from '../../call/journal-events.js';
import type { ToolIdentity } from '../../tool/tool-identity.js';
import type { LiveRule, StandingConfirmation } from '../../policy/standing-confirmation.js';
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
  /** `foreign`: all that let it run hold also after text that the person did not write. */
  | {
      readonly kind: 'run';
      readonly grant: Pick<Grant, 'rule' | 'from' | 'runs' | 'leastConfinement' | 'readable'>;
      readonly foreign: boolean;
    }
  /** Why a rule that would have covered it does not, and what it would run instead of what it ran. */
  | {
      readonly kind: 'ask';
      readonly why: string | null;
      readonly runnerChange: RunnerChange | null;
      /** One would let it run, had its asker read only what the person wrote: which, in words. */
      readonly unlessRead?: string;
    };

export interface StandingRules {
  verdictOn(call: ValidatedCall, situation: PlanningSituation): Promise<RuleVerdict>;
  /**
   * A rule that the person makes of what they approve: what a runner runs now is what they said yes to. It is kept only
   * when what this gives is called: a yes that does not come to pass makes no rule.
   */
  ruleFor(what: NewRule, situation: PlanningSituation, kept: RuleKept): Promise<() => Promise<void>>;
  /** Which of these calls a rule would cover: as if each were asked here and now. */
  wouldCover(rule: NewRule, calls: readonly PastCall[], situation: PlanningSituation): Promise<readonly boolean[]>;
}

export interface NewRule {
  readonly tool: string;
  readonly command?: string;
  readonly prefix?: string;
  /** By its token; left out, it holds for all. */
  readonly agent?: string;
  /** For who has no token: it holds for this session alone, and so no longer than until Gatehouse quits. */
  readonly session?: string;
}

/** A call as it was asked once. */
export interface PastCall {
  readonly tool: ToolIdentity;
  /** What a yes in advance would have been for; null where it is for the tool. */
  readonly words: string | null;
  readonly agent: string | null;
}

export type RuleKept = Pick<RuleWanted, 'where' | 'until'>;

/** A rule that lives no longer than the app runs. */
export interface SessionRule extends LiveRule {
  readonly id: string;
}

/** Where “Remember” puts a yes. */
export interface ConfirmationBook {
  /** Those of this session besides the configured ones. */
  readonly session: readonly SessionRule[];
  remember(rule: LiveRule, until: RuleKept['until']): Promise<void>;
}
