import type { RunnerChange } from '#contract/vocabulary/effects.js';
import type { Failure } from '#contract/vocabulary/outcomes.js';
import type { Rule } from '#contract/vocabulary/rules.js';
import type { PlanPreview } from '#contract/vocabulary/tools.js';
import type { Asker } from '../../call/asker.js';
import type { AuthorizedCall, DeclaredCall, ValidatedCall } from '../../call/call-stages.js';
import type { Config } from '#contract/vocabulary/config.js';
import type { Grant } from '../../call/journal-events.js';
import type { Sandbox } from '../sandbox.js';

/** What is decided about one call before anything runs (FR-APR-02). */
export type Disposition =
  | { readonly kind: 'run'; readonly call: ValidatedCall; readonly grant: Grant }
  | {
      readonly kind: 'ask';
      readonly call: ValidatedCall;
      readonly why: string;
      readonly rule: Rule;
      readonly runnerChange: RunnerChange | null;
    }
  /** Parse-only mode: nothing runs; the person gives the result. */
  | {
      readonly kind: 'await-result';
      readonly call: DeclaredCall;
      readonly summary: string;
      readonly why: string;
      readonly rule: Rule;
    }
  | { readonly kind: 'settled'; readonly call: DeclaredCall; readonly failure: Failure };

/** The world as planning may see it: the open workspace and the configuration in force. */
export interface PlanningSituation {
  readonly config: Config;
  readonly sandbox: Sandbox;
  readonly workspace: string;
}

export interface Planner {
  /** FR-LIM-01 and duplicates look at the batch; `waiting` is how many calls of it already wait for a decision. */
  plan(
    calls: readonly DeclaredCall[],
    situation: PlanningSituation,
    batch: { readonly joinable: boolean; readonly waiting: number; readonly knownIds: ReadonlySet<string> },
  ): Promise<readonly Disposition[]>;
  /** One call again, with other arguments. */
  replan(call: DeclaredCall, situation: PlanningSituation): Promise<Disposition>;
  preview(toolName: string, args: unknown, asker: Asker, situation: PlanningSituation): Promise<PlanPreview>;
  /** What of a granted call's judgement is no longer so, as the failure that ends it; null when all of it is. */
  noLongerSo(call: AuthorizedCall, situation: PlanningSituation): Promise<Failure | null>;
}
