import type { CallDisplayState, SettledState } from './lifecycle.js';
import type { Rule } from './rules.js';

export type OutcomeKind = 'success' | 'error' | 'denied' | 'timeout' | 'cancelled' | 'interrupted';

/** Every way in which a call can end other than well. `rule`: which one denied it, where one did. */
export type Failure = FailureByCode & { readonly rule?: Rule };

/** The code decides which details exist. */
type FailureByCode =
  | { readonly code: 'BadArgs'; readonly message: string }
  | { readonly code: 'UnknownTool'; readonly message: string }
  | { readonly code: 'DuplicateToolCallId'; readonly message: string }
  | { readonly code: 'LimitsExceeded'; readonly message: string }
  | { readonly code: 'Disabled'; readonly message: string }
  | { readonly code: 'Denylisted'; readonly message: string }
  | { readonly code: 'PathOutsideSandbox'; readonly message: string; readonly attempted: string }
  | {
      readonly code: 'DeniedPatternMatched';
      readonly message: string;
      readonly attempted: string;
      readonly pattern: string;
    }
  | { readonly code: 'SandboxViolation'; readonly message: string; readonly attempted: string }
  | { readonly code: 'DeniedByPerson'; readonly message: string; readonly reason: string | null }
  | { readonly code: 'NoDecision'; readonly message: string }
  | { readonly code: 'ExecutionFailed'; readonly message: string }
  | { readonly code: 'PatchFailed'; readonly message: string; readonly file: string }
  | { readonly code: 'StaleFile'; readonly message: string; readonly file: string }
  | { readonly code: 'OutputInvalid'; readonly message: string }
  | { readonly code: 'ResourceExhausted'; readonly message: string; readonly limit: string }
  | { readonly code: 'Internal'; readonly message: string }
  | { readonly code: 'Timeout'; readonly message: string; readonly elapsedMs: number }
  | { readonly code: 'Cancelled'; readonly message: string }
  | { readonly code: 'Interrupted'; readonly message: string }
  | { readonly code: 'JournalUnavailable'; readonly message: string };

export type FailureCode = Failure['code'];

/** What the contract's table says of each code. `undone` is for calls whose transaction was rolled back. */
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
  Denylisted: denied,
  PathOutsideSandbox: denied,
  DeniedPatternMatched: denied,
  SandboxViolation: denied,
  DeniedByPerson: denied,
  NoDecision: denied,
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
