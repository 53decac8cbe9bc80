import type { Decision, RememberScope } from '#contract/vocabulary/decisions.js';
import type { RunnerChange } from '#contract/vocabulary/effects.js';
import type { Confinement, Door } from '#contract/vocabulary/calls.js';
import type { JsonObject } from '#contract/vocabulary/json.js';
import type { Failure } from '#contract/vocabulary/outcomes.js';
import type { PlanPreview } from '#contract/vocabulary/tools.js';
import type { ConfinementTerms } from './call/judgement.js';
import type { AuthorizedCall, DeclaredCall, ValidatedCall } from './call-stages.js';
import type { Config } from './config.js';
import type { Asker } from './asker.js';
import type { AdvertisedTool } from './gate.js';
import type { Grant } from './journal-events.js';
import type { ReadLog, Sandbox } from './ports.js';
import type { CommandAnalysis, StandingConfirmation } from './standing-confirmation.js';
import type { Tool } from './tool.js';

/** The parts of the gate, as they see each other. */

/** What is decided about one call before anything runs (FR-APR-02). */
export type Disposition =
  | { readonly kind: 'run'; readonly call: ValidatedCall; readonly grant: Grant }
  | {
      readonly kind: 'ask';
      readonly call: ValidatedCall;
      readonly why: string;
      readonly runnerChange: RunnerChange | null;
    }
  /** Parse-only mode: nothing runs; the person gives the result. */
  | { readonly kind: 'await-result'; readonly call: DeclaredCall; readonly summary: string }
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

export interface RegisteredTool {
  readonly tool: Tool<unknown>;
  /** Null when the arguments fit; otherwise what is wrong, in words. */
  readonly checkInput: (args: unknown) => string | null;
  readonly checkOutput: (output: unknown) => string | null;
  /** Null for tools that are the person's own: they are in the set of no other door (door-tools.ts). */
  readonly advertised: AdvertisedTool | null;
}

export interface ToolLookup {
  lookup(name: string): RegisteredTool | null;
  /** Sorted by name. */
  definitions(): readonly AdvertisedTool[];
  onChange(listener: () => void): () => void;
}

export interface CommandAnalyzer {
  analyze(command: string, roots?: readonly string[]): Promise<CommandAnalysis>;
}

/** How commands are held now, and how the person’s own settings alone would have them held. */
export interface CommandsHeld {
  readonly inForce: Confinement;
  readonly bySettings: Confinement;
}

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
  | { readonly kind: 'run'; readonly grant: Pick<Grant, 'rule' | 'runs' | 'leastConfinement'> }
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

/** A call that is asked for, as the approval desk holds it. */
export interface AskedFor {
  readonly call: ValidatedCall;
  readonly why: string;
  readonly runnerChange: RunnerChange | null;
  readonly originalArguments: JsonObject | null;
}

/** What a command would get now, in words and as a value. */
export interface CommandConfinement {
  readonly words: string;
  readonly terms: ConfinementTerms;
  /** The same with the network allowed for the one call; null where there is nothing to allow. */
  readonly withNetwork: string | null;
  readonly termsWithNetwork: ConfinementTerms | null;
}

export interface AskingBatch {
  readonly batchId: string;
  readonly door: Door;
  readonly client: string | null;
  readonly agent: string | null;
  readonly since: number;
}

/** What comes of a sheet: every call it held, decided. */
export interface Verdicts {
  readonly approved: readonly { readonly call: ValidatedCall; readonly grant: Grant }[];
  readonly denied: readonly { readonly call: ValidatedCall; readonly failure: Failure }[];
}

/** Pending decisions. It holds no truth of its own: what it asks is in the journal, and is asked again after a restart. */
export interface ApprovalDesk {
  /** Puts calls on the batch's sheet (a new one, or the one that is open). */
  ask(batch: AskingBatch, calls: readonly AskedFor[], situation: EffectSituation): Promise<void>;
  /** Takes a call off its sheet. Where the caller took back the last one, the sheet stays to say so. */
  withdraw(callId: string, by: 'caller' | 'person'): void;
  callerGone(batchId: string): void;
}

/** What becomes of what the desk asked; the gate listens. */
export interface DeskListener {
  decided(batchId: string, verdicts: Verdicts): void;
  edited(batchId: string, call: ValidatedCall, original: JsonObject): void;
}

export interface EffectSituation extends PlanningSituation {
  readonly readLog: ReadLog;
  /** Whether a call of the batch that runs before this one, and asks nobody, reads that file. */
  readonly readsBefore: (index: number, path: string) => boolean;
}

export interface DecisionMessage {
  readonly batchId: string;
  readonly digest: string;
  readonly decision: Decision;
  readonly reason: string | null;
  readonly reasons: ReadonlyMap<string, string>;
  /** The calls that may use the network, this once. */
  readonly network: ReadonlySet<string>;
  /** The calls that may write to `.git`, this once; none where it is left out. */
  readonly writesGit?: ReadonlySet<string>;
  readonly remember: {
    readonly callIds: readonly string[];
    readonly scope: RememberScope;
    readonly prefix: string | null;
  } | null;
}

/** Where “Remember” puts a yes. */
export interface ConfirmationBook {
  /** Those of this session besides the configured ones. */
  readonly session: readonly StandingConfirmation[];
  remember(rule: StandingConfirmation, scope: RememberScope): Promise<void>;
}

/** What the person gets back from the desk. */
export type DeskAnswer<T = null> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly problem: 'stale' | 'refused' | 'not-found'; readonly message: string };
