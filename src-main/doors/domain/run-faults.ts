import type { Json, JsonObject } from '#contract/vocabulary/json.js';
import type { Failure, FailureCode } from '#contract/vocabulary/outcomes.js';
import type { WorkerAnswer } from '../../domain/call/door-context.js';

type ErrorCode = Extract<WorkerAnswer, { kind: 'error' }>['code'];

/** The error of a run whose call did not end well, as its requester gets it. */
export interface RunFault {
  readonly status: 400 | 403 | 404 | 429 | 500 | 502 | 503 | 504;
  readonly code: ErrorCode;
  readonly retryable: boolean;
  /** The wait in whole seconds; null where there is nothing to wait for. */
  readonly retryAfter: number | null;
}

type RunFaultRow = Omit<RunFault, 'retryable' | 'retryAfter'> & { readonly retryable: boolean | 'where-idempotent' };

const row = (
  status: RunFaultRow['status'],
  code: ErrorCode,
  retryable: RunFaultRow['retryable'] = false,
): RunFaultRow => ({
  status,
  code,
  retryable,
});

const badInput = row(400, 'VALIDATION_ERROR');
const denied = row(403, 'VALIDATION_ERROR');
const unreached = row(502, 'UPSTREAM_ERROR', true);
const ours = row(500, 'INTERNAL');
const tooMany = row(429, 'INTERNAL', true);

/** The one table of what a run answers. A code that is new does not compile before it stands here. */
const TABLE: Readonly<Record<FailureCode, RunFaultRow>> = {
  BadArgs: badInput,
  UnknownTool: row(404, 'VALIDATION_ERROR'),
  DuplicateToolCallId: badInput,
  Disabled: denied,
  Denylisted: denied,
  NotPermitted: denied,
  PathOutsideSandbox: denied,
  DeniedPatternMatched: denied,
  SandboxViolation: denied,
  DeniedByPerson: denied,
  NoDecision: denied,
  ToolChanged: denied,
  Timeout: row(504, 'TIMEOUT', 'where-idempotent'),
  SourceUnavailable: unreached,
  // A worker's own error has its own row; what else fails on its way there was no answer of a worker.
  ExecutionFailed: unreached,
  CircuitOpen: row(503, 'UPSTREAM_ERROR', true),
  RateLimited: tooMany,
  LimitsExceeded: tooMany,
  OutputInvalid: ours,
  PatchFailed: ours,
  StaleFile: ours,
  ResourceExhausted: ours,
  Internal: ours,
  Cancelled: ours,
  Interrupted: ours,
  StateError: ours,
  JournalUnavailable: ours,
};

const SAID: Readonly<Record<ErrorCode, RunFault['status']>> = {
  UPSTREAM_ERROR: 502,
  VALIDATION_ERROR: 400,
  TIMEOUT: 504,
  INTERNAL: 500,
};

/** `said`: the worker's own error, where it was one that ended the call. */
export function findRunFault(failure: Failure, said: WorkerAnswer | null, isIdempotent: boolean): RunFault {
  if (failure.code === 'ExecutionFailed' && said?.kind === 'error')
    return { status: SAID[said.code], code: said.code, retryable: said.retryable, retryAfter: null };
  // What is over a limit by its size would be again.
  const isSize =
    failure.code === 'LimitsExceeded' && failure.eCode === undefined && failure.rule?.id !== 'agent.sheets';
  const { status, code, retryable } = isSize ? badInput : TABLE[failure.code];
  return {
    status,
    code,
    retryable: retryable === 'where-idempotent' ? isIdempotent : retryable,
    retryAfter: status === 429 ? 1 : null,
  };
}

interface Meta {
  readonly trace_id: string;
  /** Null where nothing was recorded. */
  readonly tool_run_id: string | null;
  readonly duration_ms: number;
}

export const okEnvelope = (meta: Meta & { readonly tool_run_id: string }, output: Json) =>
  ({ ok: true, meta, output }) as const;

export const errorEnvelope = (
  meta: Meta,
  { code, retryable }: Pick<RunFault, 'code' | 'retryable'>,
  message: string,
  details: JsonObject,
) => ({ ok: false, meta, error: { code, message, retryable, details } }) as const;
