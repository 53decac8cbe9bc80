import type { Decision, RuleWanted } from '#contract/vocabulary/decisions.js';
import type { RunnerChange } from '#contract/vocabulary/effects.js';
import type { JsonObject } from '#contract/vocabulary/json.js';
import type { AllowedNetwork } from '#contract/vocabulary/network.js';
import type { Failure } from '#contract/vocabulary/outcomes.js';
import type { Asker } from '../../call/asker.js';
import type { ValidatedCall } from '../../call/call-stages.js';
import type { Grant } from '../../call/journal-events.js';
import type { HookAskReason, PlanningSituation } from './planner.js';
import type { ReadLog } from '../workspace/read-log.js';

/** A requested call, as the approval desk holds it. */
export interface CallForApproval {
  readonly call: ValidatedCall;
  readonly why: string;
  readonly runnerChange: RunnerChange | null;
  readonly originalArguments: JsonObject | null;
  /** Whether a rule could have answered it; some things are asked about whatever rules say. */
  readonly confirmable: boolean;
  /** The hook that made it ask. No rule answers that, and no other words replace it. */
  readonly hook?: HookAskReason;
}

export interface BatchForApproval {
  readonly batchId: string;
  readonly asker: Asker;
  readonly since: number;
}

/** The result of a sheet: every call it held, decided. */
export interface SheetDecisions {
  readonly approved: readonly { readonly call: ValidatedCall; readonly grant: Grant }[];
  readonly denied: readonly { readonly call: ValidatedCall; readonly failure: Failure }[];
}

/** Pending decisions. It holds no truth of its own: what it asks is in the journal, and is asked again after a restart. */
export interface ApprovalDesk {
  /** Puts calls on the batch's next sheet, or behind the one that is drawn. */
  ask(batch: BatchForApproval, calls: readonly CallForApproval[], situation: EffectSituation): Promise<void>;
  /** Takes a call off its sheet, or from behind it. The person is told of a call that the caller withdrew. */
  withdraw(callId: string, by: 'caller' | 'person'): void;
  callerGone(batchId: string): void;
}

/** Hears of the desk's decisions; the gate listens. */
export interface DeskListener {
  /** Takes the decision. Null where it is on record; else why it isn't, and nothing of it counts. */
  decided(batchId: string, verdicts: SheetDecisions): Failure | null;
  edited(batchId: string, call: ValidatedCall, original: JsonObject): void;
}

export interface EffectSituation extends PlanningSituation {
  readonly readLog: ReadLog;
  /** Whether a call of the batch that runs before this one, and needs no approval, reads that file. */
  readonly readsBefore: (index: number, path: string) => boolean;
  /** The calls of the batch that need no approval and may still run before this one. */
  readonly mayRunBefore: (index: number) => readonly ValidatedCall[];
  /** Whether an approved call of the batch runs, or is still to run. */
  readonly isStillToRun: (callId: string) => boolean;
}

export interface DecisionMessage {
  readonly batchId: string;
  readonly digest: string;
  readonly decision: Decision;
  /** The calls of High risk that the person was asked about a second time. “All” covers none that is not among them. */
  readonly highRisk?: ReadonlySet<string>;
  /** The calls of which a part is folded at first, where the person opened it or was asked about it a second time. */
  readonly folded?: ReadonlySet<string>;
  readonly reason: string | null;
  readonly reasons: ReadonlyMap<string, string>;
  /** The network that calls are allowed, this once. */
  readonly network: ReadonlyMap<string, AllowedNetwork>;
  /** The calls that may write to `.git`, this once; none where it is left out. */
  readonly writesGit?: ReadonlySet<string>;
  /** The calls whose results may hold secrets, this once; none where it is left out. */
  readonly reveals?: ReadonlySet<string>;
  /** The paths that were hidden from calls and that they may read, this once; none where it is left out. */
  readonly reads?: ReadonlyMap<string, readonly string[]>;
  /** The rule to make: the one call on the sheet is approved, and a rule made of it. */
  readonly rule?: RuleWanted;
}

/** The desk's answer to the person. */
export type DeskAnswer<T = null> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly problem: 'stale' | 'refused' | 'not-found'; readonly message: string };
