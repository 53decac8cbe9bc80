import type { Decision, RuleWanted } from '#contract/vocabulary/decisions.js';
import type { RunnerChange } from '#contract/vocabulary/effects.js';
import type { JsonObject } from '#contract/vocabulary/json.js';
import type { AllowedNetwork } from '#contract/vocabulary/network.js';
import type { Failure } from '#contract/vocabulary/outcomes.js';
import type { Asker } from '../../call/asker.js';
import type { ValidatedCall } from '../../call/call-stages.js';
import type { Grant } from '../../call/journal-events.js';
import type { HookAsks, PlanningSituation } from './planner.js';
import type { ReadLog } from '../workspace/read-log.js';

/** A call that is asked for, as the approval desk holds it. */
export interface AskedFor {
  readonly call: ValidatedCall;
  readonly why: string;
  readonly runnerChange: RunnerChange | null;
  readonly originalArguments: JsonObject | null;
  /** A rule could have answered it; some things are asked about whatever rules say. */
  readonly confirmable: boolean;
  /** A hook made it ask. No rule answers that, and no other words stand for it. */
  readonly hook?: HookAsks;
}

export interface AskingBatch {
  readonly batchId: string;
  readonly asker: Asker;
  readonly since: number;
}

/** What comes of a sheet: every call it held, decided. */
export interface Verdicts {
  readonly approved: readonly { readonly call: ValidatedCall; readonly grant: Grant }[];
  readonly denied: readonly { readonly call: ValidatedCall; readonly failure: Failure }[];
}

/** Pending decisions. It holds no truth of its own: what it asks is in the journal, and is asked again after a restart. */
export interface ApprovalDesk {
  /** Puts calls on the batch's next sheet, or behind the one that is drawn. */
  ask(batch: AskingBatch, calls: readonly AskedFor[], situation: EffectSituation): Promise<void>;
  /** Takes a call off its sheet, or from behind it. What the caller took back, the person is told. */
  withdraw(callId: string, by: 'caller' | 'person'): void;
  callerGone(batchId: string): void;
}

/** What becomes of what the desk asked; the gate listens. */
export interface DeskListener {
  /** Null where it is on record; else why it isn't, and nothing of it counts. */
  decided(batchId: string, verdicts: Verdicts): Failure | null;
  edited(batchId: string, call: ValidatedCall, original: JsonObject): void;
}

export interface EffectSituation extends PlanningSituation {
  readonly readLog: ReadLog;
  /** Whether a call of the batch that runs before this one, and asks nobody, reads that file. */
  readonly readsBefore: (index: number, path: string) => boolean;
  /** The calls of the batch that ask nobody and may still run before this one. */
  readonly mayRunBefore: (index: number) => readonly ValidatedCall[];
  /** Whether a call of the batch that was approved is still to run, or runs. */
  readonly willRun: (callId: string) => boolean;
}

export interface DecisionMessage {
  readonly batchId: string;
  readonly digest: string;
  readonly decision: Decision;
  /** The calls of High risk that the person was asked about a second time. “All” covers none that is not among them. */
  readonly highRisk?: ReadonlySet<string>;
  /** The calls of which a part is folded at first: the person opened it, or was asked about it a second time. */
  readonly folded?: ReadonlySet<string>;
  readonly reason: string | null;
  readonly reasons: ReadonlyMap<string, string>;
  /** What of the network calls are allowed, this once. */
  readonly network: ReadonlyMap<string, AllowedNetwork>;
  /** The calls that may write to `.git`, this once; none where it is left out. */
  readonly writesGit?: ReadonlySet<string>;
  /** The calls whose results may hold secrets, this once; none where it is left out. */
  readonly reveals?: ReadonlySet<string>;
  /** What was hidden from calls and they may read, this once; nothing where it is left out. */
  readonly reads?: ReadonlyMap<string, readonly string[]>;
  /** The one call on the sheet is approved, and a rule made of it. */
  readonly rule?: RuleWanted;
}

/** What the person gets back from the desk. */
export type DeskAnswer<T = null> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly problem: 'stale' | 'refused' | 'not-found'; readonly message: string };
