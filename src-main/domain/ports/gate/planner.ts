import type { RunnerChange } from '#contract/vocabulary/effects.js';
import type { Failure } from '#contract/vocabulary/outcomes.js';
import type { DecidingRule } from '#contract/vocabulary/rules.js';
import type { PlanPreview } from '#contract/vocabulary/tools/tools.js';
import type { Asker } from '../../call/asker.js';
import type { AuthorizedCall, DeclaredCall, ValidatedCall } from '../../call/call-stages.js';
import type { Config } from '#contract/vocabulary/config.js';
import type { Grant } from '../../call/journal-events.js';
import type { ReadLog } from '../workspace/read-log.js';
import type { Sandbox } from '../workspace/sandbox.js';

/** The planner's decision on one call before anything runs (FR-APR-02). */
export type Disposition =
  | { readonly kind: 'run'; readonly call: ValidatedCall; readonly grant: Grant }
  | {
      readonly kind: 'ask';
      readonly call: ValidatedCall;
      readonly why: string;
      readonly rule: DecidingRule;
      readonly runnerChange: RunnerChange | null;
      /** Whether a rule could have answered it. */
      readonly confirmable: boolean;
      /** The hook that made it ask: it stays asked, whatever else is said of it later. */
      readonly hook?: HookAskReason;
    }
  /** Parse-only mode: nothing runs; the person gives the result. */
  | {
      readonly kind: 'await-result';
      readonly call: DeclaredCall;
      readonly summary: string;
      readonly why: string;
      readonly rule: DecidingRule;
    }
  | { readonly kind: 'settled'; readonly call: DeclaredCall; readonly failure: Failure };

/** The world as planning may see it: one folder, and the configuration in force there. */
export interface PlanningSituation {
  readonly config: Config;
  readonly sandbox: Sandbox;
  /** The real path of the folder; '' for a caller that has none. */
  readonly workspace: string;
  /** False once it was closed, and where it never was open. */
  readonly isOpen: boolean;
}

/** A hook's wish that a call be asked about, in words. */
export interface HookAskReason {
  readonly why: string;
}

export interface Planner {
  /** FR-LIM-01 and duplicates look at the batch; `waiting` is how many calls of it already wait for a decision. */
  plan(
    calls: readonly DeclaredCall[],
    situation: PlanningSituation,
    batch: { readonly joinable: boolean; readonly waiting: number; readonly knownIds: ReadonlySet<string> },
  ): Promise<readonly Disposition[]>;
  /** Why a call could only fail, with what running it would give; `earlier` is what of its batch may run before it. */
  predictFailure(
    call: ValidatedCall,
    situation: PlanningSituation & { readonly readLog: ReadLog },
    earlier: readonly (ValidatedCall | 'unknown')[],
  ): Promise<Failure | null>;
  /** Plans one call again, with other arguments. */
  replan(call: DeclaredCall, situation: PlanningSituation): Promise<Disposition>;
  preview(toolName: string, args: unknown, asker: Asker, situation: PlanningSituation): Promise<PlanPreview>;
  /**
   * Remembers that a call which ran unasked failed for something a person could have given: the same is asked about the
   * next time.
   */
  rememberToAsk(call: AuthorizedCall, lacked: { readonly why: string; readonly reads: readonly string[] }): void;
  /** Forgets that again: the person let the call run, and it ran to a good end. */
  forgetMissingAccess(call: AuthorizedCall): void;
  /**
   * Finds what no longer holds of a granted call's judgement, as the failure that ends it; null when all of it holds.
   */
  findStaleJudgement(call: AuthorizedCall, situation: PlanningSituation): Promise<Failure | null>;
}
