import { randomUUID } from 'node:crypto';
import type { Failure } from '#contract/vocabulary/outcomes.js';
import type { SettledCall } from '../../domain/ports/gate/gate.js';
import { eCodeOf } from '../e-codes.js';
import { ENVELOPE_WORDS } from './envelope-words.js';
import type { EnvelopeResponse } from './envelope-schemas.js';

/** The fields of a request that its answer repeats, as far as they could be read. */
export interface RequestEcho {
  readonly messageId: string | null;
  readonly source: string | null;
  readonly tool: string | null;
  readonly capability: string | null;
}

const OURS = 'gatehouse';
const text = (value: unknown): string | null => (typeof value === 'string' ? value : null);
const fields = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>) : {};

export function readRequestEcho(body: unknown): RequestEcho {
  const { header, payload } = fields(body);
  const tool = fields(fields(payload)['tool']);
  return {
    messageId: text(fields(header)['messageId']),
    source: text(fields(header)['source']),
    tool: text(tool['id']),
    capability: text(tool['capability']),
  };
}

/** Whether there is enough of it that its answer is about something. */
export function isEnvelope(body: unknown): boolean {
  const { header, payload } = fields(body);
  const isObject = (value: unknown): boolean => typeof value === 'object' && value !== null && !Array.isArray(value);
  return isObject(body) && isObject(header) && isObject(fields(payload)['tool']);
}

type EnvelopeExecution = EnvelopeResponse['payload']['execution'];

export const buildEnvelope = (asked: RequestEcho, execution: EnvelopeExecution): EnvelopeResponse => ({
  header: {
    version: '1.0',
    messageId: randomUUID(),
    timestamp: new Date().toISOString(),
    messageType: 'response',
    requestId: asked.messageId,
    source: OURS,
    destination: asked.source,
  },
  payload: { tool: { id: asked.tool, capability: asked.capability }, execution },
});

const NOTHING_USED = { memory_bytes: 0, cpu_time_ms: 0 };

/** Where and what, beside the failure itself. */
export interface EnvelopeContext {
  readonly parameter: string | null;
  readonly suggestion: string;
  readonly callId: string | null;
}

export function failedExecution(
  failure: Failure,
  { parameter, suggestion, callId }: EnvelopeContext,
): EnvelopeExecution {
  const { status, type } = ENVELOPE_WORDS[failure.code];
  return {
    status,
    ...(type === null ? {} : { error: errorOf(type, failure, { parameter, suggestion, callId }) }),
    execution_time_ms: 0,
    resource_usage: NOTHING_USED,
    warnings: [],
  };
}

function errorOf(
  code: NonNullable<EnvelopeExecution['error']>['code'],
  failure: Failure,
  { parameter, suggestion, callId }: EnvelopeContext,
): NonNullable<EnvelopeExecution['error']> {
  return {
    code,
    message: failure.message,
    details: {
      parameter,
      reason: failure.message,
      suggestion,
      code: failure.code,
      e_code: eCodeOf(failure),
      call_id: callId,
    },
  };
}

/** Builds the execution result of a settled call. */
export function executionOf(
  { summary, failure, result }: SettledCall,
  value: unknown,
  about: EnvelopeContext,
): EnvelopeExecution {
  const base = failure === null ? null : failedExecution(failure, about);
  return {
    ...(base ?? { status: 'success' as const, result: value }),
    execution_time_ms: Math.round(summary.durationMs ?? 0),
    resource_usage: { memory_bytes: result.peakMemoryBytes ?? 0, cpu_time_ms: Math.round(result.cpuMs ?? 0) },
    warnings: [...result.aftermath.warnings],
  };
}
