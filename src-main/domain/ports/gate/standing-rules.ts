import type { RuleWanted } from '#contract/vocabulary/decisions.js';
import type { RunnerChange } from '#contract/vocabulary/effects.js';
import type { ValidatedCall } from '../../call/call-stages.js';
import type { Grant } from '../../call/journal-events.js';
import type { ToolIdentity } from '../../tool/tool-identity.js';
import type { LiveRule, StandingConfirmation } from '../../policy/remembered/standing-confirmation.js';
import type { PlanningSituation } from './planner.js';

/** The script that a runner ran when a rule for it was first used in a folder. */
export interface RunnerScript {
  readonly file: string;
  readonly digest: string;
  /** The text, to show the difference with; without secrets, and null where it is too long to keep. */
  readonly text: string | null;
}

/** Stores these scripts. */
export interface RunnerScriptStore {
  find(rule: StandingConfirmation, folder: string): RunnerScript | null;
  keep(rule: StandingConfirmation, folder: string, text: RunnerScript): void;
}

/** The verdict of the person’s rules on a call. */
export type RuleVerdict =
  /** Rules let it run. `foreign`: all of them hold also after text that the person did not write. */
  | {
      readonly kind: 'run';
      readonly grant: Pick<Grant, 'rule' | 'from' | 'runs' | 'leastConfinement' | 'readable'>;
      readonly foreign: boolean;
    }
  /**
   * No rule lets it run: why a rule that would have covered it does not, and what it would run instead of what it ran.
   */
  | {
      readonly kind: 'ask';
      readonly why: string | null;
      readonly runnerChange: RunnerChange | null;
      /** The rule, in words, that would let it run if its asker had read only what the person wrote. */
      readonly unlessRead?: string;
    };

export interface StandingRules {
  judge(call: ValidatedCall, situation: PlanningSituation): Promise<RuleVerdict>;
  /**
   * Makes a rule of a call that the person approves: the script that a runner runs now is what they said yes to. The
   * rule is kept only when the returned function is called: a yes that does not come to pass makes no rule.
   */
  makeRule(what: NewRule, situation: PlanningSituation, kept: RuleRetention): Promise<() => Promise<void>>;
  /** Says which of these calls a rule would cover, as if each were asked here and now. */
  wouldCover(rule: NewRule, calls: readonly PastCall[], situation: PlanningSituation): Promise<readonly boolean[]>;
}

export interface NewRule {
  readonly tool: string;
  readonly command?: string;
  readonly prefix?: string;
  /** The agent that the rule holds for, by its token; left out, it holds for all. */
  readonly agent?: string;
  /**
   * The session that the rule holds for, where the asker has no token: for this one alone, and so no longer than until
   * Gatehouse quits.
   */
  readonly session?: string;
  /** The places outside the folder that what it lets run may read. */
  readonly readable?: string[];
}

/** An earlier call, as it was asked. */
export interface PastCall {
  readonly tool: ToolIdentity;
  /** The words that a yes in advance would have been for; null where it is for the tool. */
  readonly words: string | null;
  readonly agent: string | null;
}

export type RuleRetention = Pick<RuleWanted, 'where' | 'until'>;

/** A rule that lives no longer than the app runs. */
export interface SessionRule extends LiveRule {
  readonly id: string;
}

/** The store that “Remember” writes to. */
export interface RuleStore {
  /** The rules of this session, besides the configured ones. */
  readonly session: readonly SessionRule[];
  remember(rule: LiveRule, until: RuleRetention['until']): Promise<void>;
}
