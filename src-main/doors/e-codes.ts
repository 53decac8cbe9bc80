import type { ECode, Failure, FailureCode } from '#contract/vocabulary/outcomes.js';

/**
 * The code by which seed 004 names each failure, where the failure itself has none; `none`: it has no name for it,
 * whatever was noted.
 */
const USUAL: Readonly<Record<FailureCode, ECode | 'none' | null>> = {
  BadArgs: 'none',
  Disabled: 'none',
  Denylisted: 'none',
  PathOutsideSandbox: 'none',
  DeniedPatternMatched: 'none',
  SandboxViolation: 'none',
  DeniedByPerson: 'none',
  NoDecision: 'none',
  UnknownTool: 'E3001',
  OutputInvalid: 'E3501',
  RateLimited: 'E3303',
  ResourceExhausted: 'E3102',
  SourceUnavailable: 'E3306',
  CircuitOpen: 'E3401',
  Timeout: 'E3103',
  ToolChanged: null,
  NotPermitted: null,
  LimitsExceeded: null,
  ExecutionFailed: null,
  PatchFailed: null,
  StaleFile: null,
  Cancelled: null,
  Interrupted: null,
  Internal: null,
  StateError: null,
  JournalUnavailable: null,
  DuplicateToolCallId: null,
};

/** The code that every door and the record give for a failure: one call has one code, whoever asks. */
export function eCodeOf({ code, eCode }: Pick<Failure, 'code'> & { readonly eCode?: ECode | null }): ECode | null {
  const usual = USUAL[code];
  return usual === 'none' ? null : (eCode ?? usual);
}
