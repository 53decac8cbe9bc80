import type { ECode, Failure, FailureCode } from '#contract/vocabulary/outcomes.js';
import { eCodeOf } from '../e-codes.js';
import type { Nature } from '#contract/vocabulary/nature.js';

/** Seed 004 §4.1: what a call of a program's stands at. */
export const INVOCATION_STATUSES = [
  'pending',
  'running',
  'success',
  'error',
  'timeout',
  'cancelled',
  'permission_denied',
  'pending_approval',
] as const;
export type InvocationStatus = (typeof INVOCATION_STATUSES)[number];

export const TOOL_ERROR_CODES = [
  ...(['invalid_parameters', 'tool_not_found', 'tool_version_not_found', 'permission_denied'] as const),
  ...(['rate_limit_exceeded', 'idempotency_conflict', 'tool_execution_error', 'sandbox_failure'] as const),
  ...(['external_api_error', 'circuit_breaker_open', 'timeout', 'resource_exhausted'] as const),
  ...(['document_not_found', 'document_unavailable', 'document_version_conflict'] as const),
  ...(['checkpoint_failed', 'resume_failed', 'state_conflict', 'internal_error'] as const),
] as const;
export type ToolErrorCode = (typeof TOOL_ERROR_CODES)[number];

/** The facts of a failed call that decide which of seed 004's words names its end. */
export interface FailedCallFacts {
  readonly failure: Failure;
  readonly nature: Nature | null;
  /** Whether its tool says that calling it again does no harm. */
  readonly idempotent: boolean;
}

interface InvocationErrorWords {
  readonly status: Exclude<InvocationStatus, 'success' | 'pending' | 'running' | 'pending_approval'>;
  /** Null: its status says it all. */
  readonly code: ToolErrorCode | null | ((ended: FailedCallFacts) => ToolErrorCode);
  readonly retryable: boolean | ((ended: FailedCallFacts) => boolean);
}

const error = (code: InvocationErrorWords['code'], more: Partial<InvocationErrorWords> = {}): InvocationErrorWords => ({
  status: 'error',
  code,
  retryable: false,
  ...more,
});
const denied: InvocationErrorWords = { ...error('permission_denied'), status: 'permission_denied' };

const VERSION_ENDS: ReadonlySet<ECode | undefined> = new Set<ECode>(['E3002', 'E3004', 'E3006']);
const SAID_ELSEWHERE: ReadonlySet<ECode | undefined> = new Set<ECode>(['E3303', 'E3304', 'E3306', 'E3307', 'E3308']);

/** A program's own exit is ours to tell; what a source or a worker answered is theirs. */
function failedWhere({ failure: { eCode }, nature }: FailedCallFacts): ToolErrorCode {
  if (eCode === 'E3601') return 'document_not_found';
  if (eCode === 'E3702') return 'resume_failed';
  const isTheirs = SAID_ELSEWHERE.has(eCode) || (eCode === undefined && nature === 'remote');
  return isTheirs ? 'external_api_error' : 'tool_execution_error';
}

/** The one table from our outcomes to seed 004's words. What is missing here does not compile. */
export const TOOL_WORDS: Readonly<Record<FailureCode, InvocationErrorWords>> = {
  BadArgs: error('invalid_parameters'),
  OutputInvalid: error('tool_execution_error'),
  UnknownTool: error(({ failure }) => (VERSION_ENDS.has(failure.eCode) ? 'tool_version_not_found' : 'tool_not_found')),
  Disabled: denied,
  Denylisted: denied,
  PathOutsideSandbox: denied,
  DeniedPatternMatched: denied,
  SandboxViolation: denied,
  DeniedByPerson: denied,
  NoDecision: denied,
  ToolChanged: denied,
  NotPermitted: denied,
  LimitsExceeded: error('resource_exhausted', { retryable: ({ failure }) => failure.eCode === 'E3106' }),
  RateLimited: error('rate_limit_exceeded', { retryable: true }),
  ResourceExhausted: error('resource_exhausted'),
  SourceUnavailable: error(({ failure }) => (failure.eCode === 'E3101' ? 'sandbox_failure' : 'external_api_error'), {
    retryable: true,
  }),
  CircuitOpen: error('circuit_breaker_open', { retryable: true }),
  ExecutionFailed: error(failedWhere),
  PatchFailed: error(failedWhere),
  StaleFile: error(failedWhere),
  Timeout: { status: 'timeout', code: 'timeout', retryable: ({ idempotent }) => idempotent },
  Cancelled: { status: 'cancelled', code: null, retryable: false },
  Interrupted: error('internal_error'),
  Internal: error('internal_error'),
  StateError: error('internal_error'),
  JournalUnavailable: error('internal_error'),
  DuplicateToolCallId: error('internal_error'),
};

export interface EndInWords {
  readonly status: InvocationStatus;
  readonly code: ToolErrorCode | null;
  readonly eCode: ECode | null;
  readonly retryable: boolean;
}

export function inToolWords(ended: FailedCallFacts): EndInWords {
  const { failure } = ended;
  const { status, code, retryable } = TOOL_WORDS[failure.code];
  return {
    status,
    code: typeof code === 'function' ? code(ended) : code,
    eCode: eCodeOf(failure),
    retryable: typeof retryable === 'function' ? retryable(ended) : retryable,
  };
}
