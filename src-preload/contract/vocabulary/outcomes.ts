import type { CallDisplayState, SettledState } from './lifecycle.js';
import type { DecidingRule } from './rules.js';

export type OutcomeKind = 'success' | 'error' | 'denied' | 'timeout' | 'cancelled' | 'interrupted';

/**
 * Every way in which a call can end other than well. `rule`: which one denied it, where one did; `eCode`: what others call this end, where
 * they have a name for it.
 */
export type Failure = FailureByCode & { readonly rule?: DecidingRule; readonly eCode?: ECode };

/** Codes for ends and warnings beside our own, for programs that speak to several products of our kind. */
export type ECode = (typeof E_CODES)[number];
export const E_CODES = [
  ...(['E3001', 'E3002', 'E3003', 'E3004', 'E3005', 'E3006', 'E3007', 'E3008'] as const),
  ...(['E3101', 'E3102', 'E3103', 'E3104', 'E3105', 'E3106', 'E3107', 'E3108'] as const),
  ...(['E3201', 'E3202', 'E3203', 'E3204', 'E3205', 'E3206', 'E3207', 'E3208'] as const),
  ...(['E3301', 'E3302', 'E3303', 'E3304', 'E3305', 'E3306', 'E3307', 'E3308', 'E3401'] as const),
  ...(['E3501', 'E3601', 'E3702'] as const),
] as const;

/** The code decides which details exist. */
type FailureByCode =
  | { readonly code: 'BadArgs'; readonly message: string }
  | { readonly code: 'UnknownTool'; readonly message: string }
  | { readonly code: 'DuplicateToolCallId'; readonly message: string }
  | { readonly code: 'LimitsExceeded'; readonly message: string }
  | { readonly code: 'Disabled'; readonly message: string }
  | { readonly code: 'Denylisted'; readonly message: string }
  | { readonly code: 'NotPermitted'; readonly message: string }
  | { readonly code: 'PathOutsideSandbox'; readonly message: string; readonly attempted: string }
  | {
      readonly code: 'DeniedPatternMatched';
      readonly message: string;
      readonly attempted: string;
      readonly pattern: string;
    }
  | { readonly code: 'SandboxViolation'; readonly message: string; readonly attempted: string }
  | {
      readonly code: 'DeniedByPerson';
      readonly message: string;
      readonly reason: string | null;
      /** The person said so of an earlier call, and this is the same again. */
      readonly repeatOf?: string;
    }
  | { readonly code: 'NoDecision'; readonly message: string }
  /** ToolChanged: its source defines it otherwise than the person accepted it, or they did not accept it yet. */
  | { readonly code: 'ToolChanged'; readonly message: string }
  | { readonly code: 'SourceUnavailable'; readonly message: string }
  | { readonly code: 'CircuitOpen'; readonly message: string }
  | { readonly code: 'RateLimited'; readonly message: string }
  | { readonly code: 'ExecutionFailed'; readonly message: string }
  | { readonly code: 'PatchFailed'; readonly message: string; readonly file: string }
  | { readonly code: 'StaleFile'; readonly message: string; readonly file: string }
  | { readonly code: 'OutputInvalid'; readonly message: string }
  | { readonly code: 'ResourceExhausted'; readonly message: string; readonly limit: string }
  | { readonly code: 'Internal'; readonly message: string }
  | { readonly code: 'Timeout'; readonly message: string; readonly elapsedMs: number }
  | { readonly code: 'Cancelled'; readonly message: string }
  | { readonly code: 'Interrupted'; readonly message: string }
  /** A change could be neither finished nor undone: this file, and what else the words name, stays as it is. */
  | { readonly code: 'StateError'; readonly message: string; readonly file: string }
  | { readonly code: 'JournalUnavailable'; readonly message: string };

export type FailureCode = Failure['code'];

/** The row of the contract's table for one code. `undone` is for calls whose transaction was rolled back. */
interface CodeMeaning {
  readonly kind: Exclude<OutcomeKind, 'success'>;
  readonly state: SettledState;
  readonly undone: SettledState;
  readonly display: CallDisplayState;
}

const failed: CodeMeaning = { kind: 'error', state: 'FAILED', undone: 'FAILED', display: 'failed' };
const denied: CodeMeaning = { kind: 'denied', state: 'DENIED', undone: 'DENIED', display: 'denied' };
const whileRunning: CodeMeaning = { kind: 'error', state: 'ABORTED', undone: 'ROLLED_BACK', display: 'failed' };

export const CODE_MEANINGS: Readonly<Record<FailureCode, CodeMeaning>> = {
  BadArgs: failed,
  UnknownTool: failed,
  DuplicateToolCallId: failed,
  LimitsExceeded: failed,
  Disabled: failed,
  JournalUnavailable: failed,
  StateError: failed,
  Denylisted: denied,
  NotPermitted: denied,
  PathOutsideSandbox: denied,
  DeniedPatternMatched: denied,
  SandboxViolation: denied,
  DeniedByPerson: denied,
  NoDecision: denied,
  ToolChanged: denied,
  CircuitOpen: failed,
  RateLimited: failed,
  SourceUnavailable: whileRunning,
  ExecutionFailed: whileRunning,
  PatchFailed: whileRunning,
  StaleFile: whileRunning,
  OutputInvalid: whileRunning,
  ResourceExhausted: whileRunning,
  Internal: whileRunning,
  Timeout: { ...whileRunning, kind: 'timeout' },
  Cancelled: { ...whileRunning, kind: 'cancelled', display: 'cancelled' },
  Interrupted: { ...whileRunning, kind: 'interrupted' },
};
