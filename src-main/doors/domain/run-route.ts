import { randomBytes, randomUUID } from 'node:crypto';
import Type from 'typebox';
import { isJsonObject, type Json, type JsonObject } from '#contract/vocabulary/json.js';
import type { Failure } from '#contract/vocabulary/outcomes.js';
import { makeAsker } from '../../domain/call/asker.js';
import { readTraceParent, type TraceParent } from '../../domain/call/trace-context.js';
import { unknownToolFailure } from '../../domain/policy/judged-tool.js';
import type { WorkerAnswer } from '../../domain/call/door-context.js';
import type { Gate, SettledCall } from '../../domain/ports/gate/gate.js';
import type { Domain, ServedTool } from '../../domain/ports/sources/domain.js';
import { isToolId } from '../../domain/tool/tool-identity.js';
import { eCodeOf } from '../e-codes.js';
import {
  errorAnswer,
  ErrorSchema,
  type Malformed,
  type Route,
  route,
  type RouteAnswer,
  type RouteRequest,
} from '../http/route.js';
import { askForCall } from '../ask-for-call.js';
import type { ProgramFolders } from '../program-folders.js';
import { findTool, noDomain } from './found-tool.js';
import { FailedSchema, LONGEST_TRACE_ID, RanSchema, RunRequestSchema } from './domain-schemas.js';
import { errorEnvelope, findRunFault, okEnvelope } from './run-faults.js';

export interface RunDeps {
  readonly gate: Gate;
  readonly domain: Domain;
  readonly folders: ProgramFolders;
  readonly whenClientLeaves: () => 'cancel' | 'keep';
}

const failed = (description: string) => ({ description, schema: FailedSchema });

export const runRoute = (side: RunDeps): Route =>
  route(
    {
      method: 'POST',
      path: '/v1/tools/{tool_id}:run',
      operationId: 'runDomainTool',
      summary: 'Runs a tool of the domain, and answers when it is settled',
      parameters: { tool_id: Type.String() },
      body: RunRequestSchema,
      asksForCalls: true,
      answers: {
        200: { description: 'It ran.', schema: RanSchema },
        400: failed('The body is no request, the input does not fit, or the worker said so.'),
        403: failed('Denied, by the person or a rule.'),
        404: {
          description: 'No such tool; without a package the gateway’s own error.',
          schema: Type.Union([FailedSchema, ErrorSchema]),
        },
        429: {
          description: 'Too many at once; where the agent recorded too much, the gateway’s own error.',
          schema: Type.Union([FailedSchema, ErrorSchema]),
        },
        500: failed('The worker broke its contract, or Gatehouse failed.'),
        502: failed('The worker, or what stands behind it, was not reached or failed.'),
        503: failed('It failed too often, and is left alone for a while.'),
        504: failed('It was not done in time.'),
      },
      onMalformed: (malformed) => {
        if (side.domain.served() === null) return noDomain;
        const id = malformed.parameters['tool_id'] ?? '';
        return isToolId(id) ? notARequest(malformed) : noSuchPath(id);
      },
    },
    async ({ parameters, body, headers, bearer, left }) => {
      const id = parameters.tool_id;
      const domain = side.domain.served();
      if (domain === null) return noDomain;
      if (!isToolId(id)) return noSuchPath(id);
      const traceParent = traceParentIn(headers);
      const traceId = body.meta?.trace_id ?? traceParent?.traceId ?? newTraceId();
      const deadlineMs = body.meta?.deadline_ms ?? null;
      const tool = findTool(domain, id);
      const began = performance.now();
      const place = await side.folders.of(null, { workspace: body.meta?.workspace ?? null, headers }, bearer);
      if (place.unclear !== undefined) return unclear(place.unclear, traceId);
      const { folder, refused } = place;
      let said: WorkerAnswer | null = null;
      const onAnswer = (answer: WorkerAnswer): void => void (said = answer);
      const { call, release } = askForCall(
        side.gate,
        {
          asker: makeAsker('gateway', `run-${randomUUID()}`, bearer),
          folder,
          call: {
            requestId: null,
            tool: tool?.name ?? id,
            arguments: (body.input ?? {}) as JsonObject,
            pocket: { traceId, traceParent, deadlineMs, onAnswer },
          },
          joinable: false,
          ...refusing(tool === null ? unknownToolFailure(id) : refused),
        },
        { left, deadlineMs, whenClientLeaves: side.whenClientLeaves },
      );
      const settled = await call.settled;
      release();
      return answerOf(settled, { traceId, said, tool, tookMs: Math.round(performance.now() - began) });
    },
  );

function traceParentIn({ traceparent }: RouteRequest['headers']): TraceParent | null {
  return readTraceParent(typeof traceparent === 'string' ? traceparent : null);
}

const newTraceId = (): string => randomBytes(16).toString('hex');

interface RunOutcome {
  readonly traceId: string;
  readonly said: WorkerAnswer | null;
  readonly tool: ServedTool | null;
  readonly tookMs: number;
}

function answerOf(settled: SettledCall, { traceId, said, tool, tookMs }: RunOutcome) {
  const { failure, summary, result, recorded } = settled;
  const { callId } = summary;
  const meta = { trace_id: traceId, tool_run_id: callId, duration_ms: said?.durationMs ?? tookMs };
  if (failure === null) return { status: 200 as const, body: okEnvelope(meta, outputOf(said, result)) };
  const fault = findRunFault(failure, said, tool?.idempotent === true);
  const byWorker = failure.code === 'ExecutionFailed' && said?.kind === 'error';
  const details: JsonObject = {
    ...(byWorker ? said.details : {}),
    code: failure.code,
    callId: recorded ? callId : null,
    e_code: eCodeOf(failure),
  };
  const { status, retryAfter } = fault;
  const body = errorEnvelope(meta, fault, byWorker ? said.message : failure.message, details);
  return { status, body, ...(retryAfter === null ? {} : { headers: { 'retry-after': String(retryAfter) } }) };
}

/**
 * The output for the caller: the worker's answer is whole, while the recorded one may be cut. Where the person gave the
 * result, it is that.
 */
function outputOf(said: WorkerAnswer | null, result: SettledCall['result']): Json {
  if (said?.kind === 'output') return said.output;
  if (result.structured !== null) return result.structured;
  try {
    return JSON.parse(result.content) as Json;
  } catch {
    return result.content;
  }
}

const refusing = (failure: Failure | null) => (failure === null ? {} : { refuseAll: failure });

const unclear = (why: string, traceId: string) => ({
  status: 400 as const,
  body: errorEnvelope(
    { trace_id: traceId, tool_run_id: null, duration_ms: 0 },
    { code: 'VALIDATION_ERROR', retryable: false },
    why,
    { code: 'BadArgs', callId: null, e_code: null },
  ),
});

const noSuchPath = (id: string) => errorAnswer(404, 'NotFound', `“${id.slice(0, 200)}” can’t be the id of a tool.`);

/** Answers something that is no request of a run; it is not recorded. */
function notARequest({ message, body, headers }: Malformed): RouteAnswer {
  const meta = typeof body === 'object' && body !== null && 'meta' in body ? (body.meta as Json) : null;
  const given = isJsonObject(meta) ? meta['trace_id'] : null;
  const own = typeof given === 'string' && given !== '' && given.length <= LONGEST_TRACE_ID ? given : null;
  const traceId = own ?? traceParentIn(headers)?.traceId ?? newTraceId();
  return {
    status: 400,
    body: errorEnvelope(
      { trace_id: traceId, tool_run_id: null, duration_ms: 0 },
      { code: 'VALIDATION_ERROR', retryable: false },
      message,
      { code: 'BadArgs', callId: null, e_code: null },
    ),
  };
}
