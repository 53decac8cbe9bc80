import type { Aftermath, ChangedFile, Confinement, RiskLevel } from '#contract/vocabulary/calls.js';
import type { HookRun } from '#contract/vocabulary/hooks.js';
import type { JsonObject } from '#contract/vocabulary/json.js';
import type { SettledState } from '#contract/vocabulary/lifecycle.js';
import type { Nature } from '#contract/vocabulary/nature.js';
import type { Failure } from '#contract/vocabulary/outcomes.js';
import type { DecidingRule } from '#contract/vocabulary/rules.js';
import type { ConversationEvent } from '../conversation/conversation-events.js';
import type { AttributedText, ForeignFile, GivenText } from '../policy/given-texts.js';
import type { Asker } from './asker.js';
import type { Judgement } from './judgement.js';
import type { StoredOutput } from './outputs.js';
import type { ProgramEnded, ProgramStarted } from './program-facts.js';

/**
 * Everything that can happen, as facts. A fact is appended first and acted on after; the window shows, the audit proves
 * and recovery reads what is appended.
 */
export type JournalEvent =
  | {
      readonly type: 'batch-received';
      readonly batchId: string;
      readonly asker: Asker;
      /** The folder it was asked for: after a restart nothing of it may happen in another one. */
      readonly workspace: string;
      readonly mode: 'parse_only' | 'enabled' | 'disabled';
    }
  /** DECLARED. Without secrets; `withheld` has them whole, to be sealed or not kept. */
  | {
      readonly type: 'call-received';
      readonly callId: string;
      readonly batchId: string;
      /** Position in the batch, from 0. */
      readonly index: number;
      /** The door's own id for it, if it had one. */
      readonly requestId: string | null;
      readonly tool: string;
      readonly toolId: string | null;
      readonly toolVersion: string | null;
      readonly nature: Nature | null;
      readonly sideEffecting: boolean;
      readonly arguments: JsonObject;
      readonly withheld?: UnredactedArguments;
    }
  /** VALIDATED. */
  | {
      readonly type: 'call-validated';
      readonly callId: string;
      readonly summary: string;
      readonly risk: RiskLevel;
      readonly timeoutMs: number;
    }
  /** Still VALIDATED, and waiting: for the person's decision, or (parse-only) for a result. */
  | {
      readonly type: 'call-awaiting';
      readonly callId: string;
      readonly for: 'decision' | 'result';
      readonly why: string;
      readonly rule: DecidingRule;
    }
  /** A hook judged the call, or could not. */
  | { readonly type: 'call-hook'; readonly callId: string; readonly run: HookRun }
  /** A hook was told how it ended, or could not be: after its end, which it leaves as it is. */
  | { readonly type: 'call-hook-after'; readonly callId: string; readonly run: HookRun }
  /** The person changed the arguments; the original ones are kept. */
  | {
      readonly type: 'call-edited';
      readonly callId: string;
      readonly arguments: JsonObject;
      readonly withheld?: UnredactedArguments;
      readonly summary: string;
      readonly risk: RiskLevel;
    }
  /** AUTHORIZED. */
  | { readonly type: 'call-authorized'; readonly callId: string; readonly grant: Grant }
  /** Still AUTHORIZED, and waiting for a place to run in. */
  | { readonly type: 'call-queued'; readonly callId: string; readonly why: string }
  /** EXECUTING: about to run. Durable before anything happens. */
  | { readonly type: 'call-executing'; readonly callId: string; readonly attempt: number }
  /** Still EXECUTING: its process is known, so that recovery can find and end it. */
  | {
      readonly type: 'call-process';
      readonly callId: string;
      readonly pid: number;
      readonly startTicks: string;
      readonly mark: string;
      readonly confinement: Confinement;
    }
  | {
      readonly type: 'call-retrying';
      readonly callId: string;
      readonly attempt: number;
      readonly delayMs: number;
      readonly code: string;
      readonly message: string;
    }
  | SettledEvent
  /**
   * A text goes to a model that the person did not write, or that is private. `byCall`: the call whose result it is.
   */
  | {
      readonly type: 'text-given';
      readonly to: string;
      readonly workspace: string;
      readonly byCall: string | null;
      readonly text: GivenText;
    }
  /** The texts that were given count no more: the person said so, or a day went by without a call. */
  | {
      readonly type: 'texts-forgotten';
      readonly to: string;
      readonly workspace: string;
      readonly by: 'person' | 'time';
    }
  /** “I trust what is written in this folder”, or not any more. */
  | { readonly type: 'folder-trusted'; readonly workspace: string; readonly trusted: boolean }
  /** Files that calls wrote there count as the folder’s from now on: the person looked through them under Changes. */
  | { readonly type: 'files-looked-through'; readonly workspace: string; readonly paths: readonly string[] }
  /** A program runs without being a call: recorded before it does, and when it ended by itself. */
  | (ProgramStarted & { readonly type: 'program-started' })
  | (ProgramEnded & { readonly type: 'program-ended' })
  /** “Discard results”: the history keeps what happened; the caller gets `Interrupted`. */
  | { readonly type: 'batch-discarded'; readonly batchId: string }
  /** The batch's results were handed to the door, or nobody is there to take them. */
  | { readonly type: 'batch-closed'; readonly batchId: string }
  | ConversationEvent;

/** Everything that can happen to a call that was received. */
export type CallFact = Exclude<
  Extract<JournalEvent, { readonly callId: string }>,
  { readonly type: 'call-received' | 'call-hook-after' }
>;

declare const settling: unique symbol;
/** COMPLETED, FAILED, DENIED, ABORTED, or ABORTED and then ROLLED_BACK (two audit events). Made by `settledEvent` alone. */
export interface SettledEvent extends SettledFacts {
  readonly [settling]: true;
  readonly type: 'call-settled';
}

export interface SettledFacts {
  readonly callId: string;
  readonly state: SettledState;
  readonly failure: Failure | null;
  readonly result: SettledResult;
  readonly durationMs: number | null;
  /**
   * The text that a model is given with its result; null where that is our own words, left out where that is not known.
   */
  readonly said?: AttributedText | null;
  /** The files that it left and that may hold somebody else's words; left out where there are none. */
  readonly wroteForeign?: readonly ForeignFile[];
}

/** Arguments as they came, where secrets were taken out of what is recorded. */
export interface UnredactedArguments {
  readonly arguments: JsonObject;
  /** The number of places that were redacted. */
  readonly count: number;
}

/** A result as it would be without redaction, within the same limit. */
export interface UnredactedResult {
  readonly content: string;
  readonly structured: JsonObject | null;
  readonly outputBytesLeftOut: number;
}

export interface Grant {
  readonly by: 'policy' | 'person' | 'standing-confirmation' | 'result-submission';
  /** The rule, in words. */
  readonly rule: string;
  readonly from: DecidingRule;
  /**
   * The capabilities that the tool declares; `network` where the person allowed it for this call, `network.settings`
   * where their settings open it.
   */
  readonly capabilities: readonly string[];
  /** The judgement that it was granted for, and for nothing else; null where nothing is to run. */
  readonly judgement: Judgement | null;
  /** The command that a rule lets run in place of the text: the words that were read of it, quoted anew. */
  readonly runs?: string;
  /** The least confinement that a command must have for the rule to hold. */
  readonly leastConfinement?: Confinement;
  /** Paths outside its folder that a rule lets it read; left out: none. */
  readonly readable?: readonly string[];
}

/** A call's result: exactly one for every call, always. */
export interface SettledResult {
  /** The text that the caller gets. */
  readonly content: string;
  readonly structured: JsonObject | null;
  readonly outputBytes: number;
  readonly outputBytesLeftOut: number;
  /** The number of places of it that were redacted. */
  readonly redactions: number;
  /** The unredacted result, where something was redacted: to be sealed, or not kept. */
  readonly withheld?: UnredactedResult;
  readonly storedOutputs: readonly StoredOutput[];
  readonly changedFiles: readonly ChangedFile[];
  readonly aftermath: Aftermath;
  readonly confinement: Confinement | null;
  readonly cpuMs: number | null;
  readonly peakMemoryBytes: number | null;
  /** The calls whose changes this one undid, the latest first. */
  readonly undoes: readonly string[];
}
