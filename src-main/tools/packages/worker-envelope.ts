import { isJsonObject, type Json, type JsonObject } from '#contract/vocabulary/json.js';
import { readStrictJson } from '../../platform/reading/strict-json.js';

/** The metadata of a request to a worker (seed 003 §3.1). */
export interface RunMeta {
  readonly trace_id: string;
  readonly tool_run_id: string;
  readonly domain_id: string;
  /** Unix ms. */
  readonly deadline_ms: number;
}

export const WORKER_CODES = ['UPSTREAM_ERROR', 'VALIDATION_ERROR', 'TIMEOUT', 'INTERNAL'] as const;
export type WorkerCode = (typeof WORKER_CODES)[number];

export interface WorkerError {
  readonly code: WorkerCode;
  readonly message: string;
  readonly retryable: boolean;
  readonly details: JsonObject;
}

export type EnvelopeAnswer =
  | { readonly kind: 'output'; readonly output: Json; readonly durationMs: number | null }
  | { readonly kind: 'error'; readonly error: WorkerError; readonly durationMs: number | null }
  /** The worker broke the contract: how. */
  | { readonly kind: 'broken'; readonly why: string };

export const MAX_WORKER_ANSWER_BYTES = 4 * 2 ** 20;

export const buildRequestBody = (meta: RunMeta, input: JsonObject): string => JSON.stringify({ meta, input });

/** A whole body, against what was asked. Fields that are not in the contract are let through unread. */
export function readWorkerAnswer(body: Uint8Array, asked: Pick<RunMeta, 'trace_id' | 'tool_run_id'>): EnvelopeAnswer {
  const broken = (why: string): EnvelopeAnswer => ({ kind: 'broken', why });
  const read = readStrictJson(body);
  if (!read.ok) return broken(`its answer ${read.problem}`);
  const answer = read.value;
  if (!isJsonObject(answer)) return broken('its answer is no JSON object');
  const { ok, meta } = answer;
  if (typeof ok !== 'boolean') return broken('“ok” is neither true nor false');
  if (!isJsonObject(meta ?? null)) return broken('“meta” is no object');
  for (const id of ['trace_id', 'tool_run_id'] as const)
    if ((meta as JsonObject)[id] !== asked[id]) return broken(`meta.${id} is not the one it was asked with`);
  const { duration_ms: duration = null } = meta as JsonObject;
  if (duration !== null && (typeof duration !== 'number' || duration < 0))
    return broken('meta.duration_ms is no number of milliseconds');
  const durationMs = duration;
  if (ok) {
    if (Object.hasOwn(answer, 'error')) return broken('it says ok, and has an error');
    const { output } = answer;
    return output === undefined ? broken('it says ok, and has no output') : { kind: 'output', output, durationMs };
  }
  if (Object.hasOwn(answer, 'output')) return broken('it says that it failed, and has an output');
  const { error } = answer;
  if (!isJsonObject(error ?? null)) return broken('it says that it failed, and has no error');
  const { code, message, retryable, details = null } = error as JsonObject;
  if (typeof message !== 'string' || message === '') return broken('error.message is no text');
  if (typeof retryable !== 'boolean') return broken('error.retryable is neither true nor false');
  if (details !== null && !isJsonObject(details)) return broken('error.details is no object');
  if (!isWorkerCode(code)) return broken(`error.code is none of ${WORKER_CODES.join(', ')}`);
  return { kind: 'error', error: { code, message, retryable, details: details ?? {} }, durationMs };
}

const isWorkerCode = (code: unknown): code is WorkerCode => WORKER_CODES.some((known) => known === code);
