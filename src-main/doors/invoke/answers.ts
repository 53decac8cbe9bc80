import type { Checkpoint } from '#contract/vocabulary/calls.js';
import type { Failure } from '#contract/vocabulary/outcomes.js';
import type { Misfit } from '../../domain/ports/gate/tool-catalog.js';
import type { CallSeen } from './call-seen.js';
import { inToolWords, type InvocationStatus, type ToolErrorCode } from './outcome-words.js';
import type { InvokeResponse, ToolError } from './tool-schemas.js';

const MIB = 2 ** 20;
const iso = (ms: number): string => new Date(ms).toISOString();

/** The facts about a tool on which the words for its end depend. */
export interface ToolEndFacts {
  readonly idempotent: boolean;
  readonly misfits: readonly Misfit[];
}

/** The status of a call that is not settled. */
export function statusOf({ summary: { state, awaiting } }: Pick<CallSeen, 'summary'>): InvocationStatus {
  if (awaiting === 'decision') return 'pending_approval';
  return state === 'EXECUTING' ? 'running' : 'pending';
}

export function settledStatus({ failure, summary }: CallSeen, { idempotent }: ToolEndFacts): InvocationStatus {
  return failure === null ? 'success' : inToolWords({ failure, nature: summary.nature, idempotent }).status;
}

export function errorOf({ failure, summary }: CallSeen, tool: ToolEndFacts, callId: string | null): ToolError | null {
  if (failure === null) return null;
  const words = inToolWords({ failure, nature: summary.nature, idempotent: tool.idempotent });
  return words.code === null ? null : errorWith(words.code, failure, words, callId, tool.misfits);
}

function errorWith(
  code: ToolErrorCode,
  failure: Failure,
  { eCode, retryable }: Pick<ReturnType<typeof inToolWords>, 'eCode' | 'retryable'>,
  callId: string | null,
  misfits: readonly Misfit[],
): ToolError {
  const isMisfit = failure.code === 'BadArgs' && misfits.length > 0;
  const fields = misfits.map(({ at, message }) => ({ field: at, message }));
  const details = { code: failure.code, e_code: eCode, call_id: callId, ...(isMisfit ? { fields } : {}) };
  return { code, message: failure.message, details, retryable };
}

/** The checkpoint in the seed's format. */
export const checkpointOf = ({ id, kind, at }: Checkpoint) => ({
  checkpoint_id: id,
  checkpoint_type: kind,
  timestamp: iso(at),
});

export function metadataOf({
  summary,
  result,
  checkpoint,
}: CallSeen): NonNullable<InvokeResponse['execution_metadata']> {
  const { startedAt, executingSince, durationMs } = summary;
  const began = executingSince ?? startedAt;
  const cpu = result?.cpuMs ?? null;
  const memory = result?.peakMemoryBytes ?? null;
  const duration = Math.round(durationMs ?? 0);
  return {
    duration_ms: duration,
    started_at: iso(began),
    completed_at: result === null ? null : iso(began + duration),
    // A thousandth of a core for a second is as much as a core for a millisecond.
    cpu_used_millicore_seconds: Math.round(cpu ?? 0),
    memory_peak_mb: Math.ceil((memory ?? 0) / MIB),
    network_bytes_sent: 0,
    network_bytes_received: 0,
    documents_accessed: [],
    // Only the last checkpoint of a call is kept.
    checkpoints_created: checkpoint === null ? [] : [checkpointOf(checkpoint)],
    unknown: [
      ...(cpu === null ? ['cpu_used_millicore_seconds'] : []),
      ...(memory === null ? ['memory_peak_mb'] : []),
      'network_bytes_sent',
      'network_bytes_received',
    ],
  };
}

/** There is no call to tell about: 400, 404 and 409. */
export const refused = (
  code: ToolErrorCode,
  message: string,
  { id = null, ours = null }: { readonly id?: string | null; readonly ours?: string | null } = {},
) => ({
  invocation_id: id,
  status: 'error' as const,
  error: { code, message, details: { code: ours, e_code: null, call_id: null }, retryable: false },
});
