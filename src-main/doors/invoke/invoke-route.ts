import { UUID } from './tool-schemas.js';
import { answerWith, type Malformed, type Route, route } from '../http/route.js';
import { parseRange } from '../../domain/tool/version-range.js';
import { errorOf, metadataOf, type ToolEndFacts, refused, settledStatus, statusOf } from './answers.js';
import { givenValue, type KindOf } from '../given-value.js';
import { claimsIn } from './agent-context.js';
import { recordGiven, answerUnrecorded } from './record-given.js';
import { type CallSeen, isSettled, seenSettled } from './call-seen.js';
import { beginInvocation, type BegunInvocation, listIgnoredFields } from './begin-invocation.js';
import type { InvokeDeps } from './invoke-deps.js';
import {
  type InvokeRequest,
  type InvokeResponse,
  InvokeResponseSchema,
  InvokeSchema,
  RefusedSchema,
} from './tool-schemas.js';
import { readToolEndFacts } from './tool-end-facts.js';
import { firstOf, type WatchedCalls } from './watched-calls.js';

const isUuid = new RegExp(UUID, 'u');

/** Answers a malformed request, under its own id as far as that could be read. */
export function malformed({ message, body }: Malformed) {
  const { invocation_id: given } = (body ?? {}) as { readonly invocation_id?: unknown };
  const id = typeof given === 'string' && isUuid.test(given) ? given : null;
  return answerWith(400, refused('invalid_parameters', message, { id, ours: 'BadArgs' }));
}

export const REFUSED = {
  400: { description: 'There is no such request at all.', schema: RefusedSchema },
} as const;

export function invokeRoute(parts: InvokeDeps, watched: WatchedCalls): Route {
  return route(
    {
      method: 'POST',
      path: '/v1/tool/invoke',
      operationId: 'invokeTool',
      summary: 'Asks for a call of a tool',
      description: 'Judged, asked about, run and recorded as every call. There is no way to approve over HTTP.',
      body: InvokeSchema,
      asksForCalls: true,
      answers: {
        200: { description: 'It is settled, whatever its status.', schema: InvokeResponseSchema },
        202: { description: 'It is not settled yet; polling_info says where to ask.', schema: InvokeResponseSchema },
        ...REFUSED,
        409: { description: 'The key or the id is in use for something else.', schema: RefusedSchema },
      },
      onMalformed: malformed,
    },
    async ({ body, bearer, headers, origin, left }) => {
      const range = body.tool_version ?? '*';
      if (parseRange(range) === null)
        return answerWith(
          400,
          refused('invalid_parameters', `tool_version “${range}” is no range: write 2.1.0, ^2.1, ~2.1, 2.x or *.`, {
            id: body.invocation_id ?? null,
            ours: 'BadArgs',
          }),
        );
      const begun = await beginInvocation(body, { bearer, headers, left }, parts);
      if (begun.kind === 'unclear')
        return answerWith(
          400,
          refused('invalid_parameters', begun.why, { id: body.invocation_id ?? null, ours: 'BadArgs' }),
        );
      if (begun.kind === 'conflict')
        return answerWith(
          409,
          refused(
            'idempotency_conflict',
            'The idempotency_key or the invocation_id is in use for another tool, version or parameters. Choose another.',
            { id: body.invocation_id ?? null, ours: 'DuplicateToolCallId' },
          ),
        );
      const seen = await waitForCall(begun, body, left, parts, watched);
      // What is told again is given again.
      if (
        begun.kind === 'same' &&
        !(await recordGiven(parts, bearer, claimsIn(body.agent_context ?? null), begun.callId))
      )
        return answerWith(200, {
          ...answerUnrecorded(begun.callId),
          result: null,
          execution_metadata: null,
          checkpoint_ref: null,
          polling_info: null,
          warnings: [],
        });
      return answered(begun.callId, seen, { request: body, origin, parts });
    },
  );
}

/**
 * Waits as long as the request asks, and returns what is known of the call then; null where nothing is on record yet.
 */
async function waitForCall(
  begun: Extract<BegunInvocation, { kind: 'begun' | 'same' }>,
  { execution_options: options }: InvokeRequest,
  left: AbortSignal,
  parts: InvokeDeps,
  watched: WatchedCalls,
): Promise<CallSeen | null> {
  const { callId } = begun;
  const read = (): CallSeen | null => parts.invocations.read(callId);
  if (options?.async_mode === true) {
    if (begun.kind === 'same') return read();
    return (await durable(begun, parts, watched, left)) ?? read();
  }
  if (begun.kind === 'begun') {
    const { call, release } = begun.awaited;
    const first = await firstOf(call.settled, parts.syncWaitMs(), left);
    release();
    return typeof first === 'string' ? read() : seenSettled(first);
  }
  // Whoever was answered watches no more.
  const over = new AbortController();
  const until = AbortSignal.any([left, over.signal]);
  await firstOf(waitUntilSettled(callId, parts, watched, until), parts.syncWaitMs(), left);
  over.abort();
  return read();
}

/** Resolves when it is on record, with its end where it is settled by then. */
async function durable(
  { callId, awaited: { call } }: Extract<BegunInvocation, { kind: 'begun' }>,
  { syncWaitMs }: InvokeDeps,
  watched: WatchedCalls,
  left: AbortSignal,
): Promise<CallSeen | null> {
  let stop = (): void => undefined;
  const recorded = new Promise<null>((resolve) => {
    stop = watched.on(callId, () => resolve(null));
  });
  const ended = call.settled.then(seenSettled);
  const first = await firstOf(Promise.race([recorded, ended]), syncWaitMs(), left);
  stop();
  if (typeof first === 'string') return null;
  // What was recorded and settled in one is told by its settling, which follows at once.
  return first ?? (await Promise.race([ended, new Promise<null>((resolve) => setImmediate(() => resolve(null)))]));
}

/**
 * Waits for the recorded end of a call: whoever asks again waits for the same end, in whichever run of the app it
 * comes.
 */
async function waitUntilSettled(
  callId: string,
  { gate, invocations }: InvokeDeps,
  watched: WatchedCalls,
  left: AbortSignal,
): Promise<void> {
  const live = gate.findActiveCall(callId);
  if (live !== null) return void (await live.settled);
  await new Promise<void>((resolve) => {
    const stop = watched.on(callId, () => look());
    const look = (): void => {
      const seen = invocations.read(callId);
      if (seen !== null && !isSettled(seen) && !left.aborted) return;
      stop();
      resolve();
    };
    left.addEventListener('abort', look, { once: true });
    look();
  });
}

interface AnswerContext {
  readonly request: InvokeRequest;
  readonly origin: string;
  readonly parts: InvokeDeps;
}

function answered(callId: string, seen: CallSeen | null, about: AnswerContext) {
  const warnings = [...(seen?.warnings ?? []), ...listIgnoredFields(about.request)];
  if (seen !== null && isSettled(seen)) {
    const tool = readToolEndFacts(seen, about.parts, about.request);
    return answerWith(200, { ...settledAnswer(callId, seen, tool, about.parts.kindOf), warnings });
  }
  const usual =
    seen?.summary.toolId === null || seen === null ? null : about.parts.invocations.getMedianMs(seen.summary.toolId);
  return answerWith(202, {
    invocation_id: callId,
    status: seen === null ? ('pending' as const) : statusOf(seen),
    result: null,
    error: null,
    execution_metadata: seen === null ? null : metadataOf(seen),
    checkpoint_ref: null,
    polling_info: {
      status_url: `${about.origin}/v1/tool/status/${encodeURIComponent(callId)}`,
      estimated_completion_seconds: usual === null ? null : Math.max(1, Math.round(usual / 1000)),
    },
    warnings,
  });
}

function settledAnswer(
  callId: string,
  seen: CallSeen,
  tool: ToolEndFacts,
  kindOf: KindOf,
): Omit<InvokeResponse, 'warnings'> {
  return {
    invocation_id: callId,
    status: settledStatus(seen, tool),
    result: seen.failure === null ? givenValue(seen, kindOf) : null,
    error: errorOf(seen, tool, callId),
    execution_metadata: metadataOf(seen),
    checkpoint_ref: seen.checkpoint?.id ?? null,
    polling_info: null,
  };
}
