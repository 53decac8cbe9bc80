import Type from 'typebox';
import type { Bearer } from '../../domain/call/asker.js';
import { answerWith, type Route, route } from '../http/route.js';
import type { Checkpoint } from '#contract/vocabulary/calls.js';
import { checkpointOf, errorOf, metadataOf, refused, settledStatus, statusOf } from './answers.js';
import { givenValue } from '../given-value.js';
import { isSettled } from './call-seen.js';
import { recordGiven, answerUnrecorded } from './record-given.js';
import { malformed, REFUSED } from './invoke-route.js';
import type { InvokeDeps } from './invoke-deps.js';
import { bearerOf, scopeOf } from '../claims.js';
import { claimsIn, namesAnother } from './agent-context.js';
import { readToolEndFacts } from './tool-end-facts.js';
import {
  type AgentContext,
  CancelRequestSchema,
  CancelResponseSchema,
  RefusedSchema,
  StatusRequestSchema,
  StatusResponseSchema,
} from './tool-schemas.js';
import { firstOf, type WatchedCalls } from './watched-calls.js';

const MAX_WAIT_SECONDS = 30;
const query = {
  wait: Type.Optional(
    Type.Number({ minimum: 0, maximum: MAX_WAIT_SECONDS, description: 'Seconds to wait for a change.' }),
  ),
};
const answers = {
  200: { description: 'It is settled.', schema: StatusResponseSchema },
  202: { description: 'It is not settled yet.', schema: StatusResponseSchema },
  ...REFUSED,
  404: { description: 'There is none with this id, or it is another’s.', schema: RefusedSchema },
} as const;

interface StatusQuery {
  readonly id: string;
  readonly context: AgentContext | null;
  readonly bearer: Bearer;
  readonly wait: number;
  readonly left: AbortSignal;
}

/** The parts of an answer whose change is worth telling. */
type ToldStatus = readonly [status: string, percent: number | null, phase: string | null, checkpoint: string | null];

export function statusRoutes(parts: InvokeDeps, watched: WatchedCalls): readonly Route[] {
  const answer = async (asked: StatusQuery) => {
    const callId = findOwnCall(asked, parts);
    if (callId === null) return answerWith(404, refused('invalid_parameters', 'Not found', { id: asked.id }));
    if (asked.wait > 0) await waitForChange(callId, asked, parts, watched);
    // What it said, and what it says of how far it is, is told here.
    if (!(await recordGiven(parts, asked.bearer, claimsIn(asked.context), callId)))
      return answerWith(200, {
        ...answerUnrecorded(callId),
        progress_percent: null,
        current_phase: null,
        latest_checkpoint: null,
      });
    return answerStatus(callId, parts);
  };
  return [
    route(
      {
        method: 'GET',
        path: '/v1/tool/status/{invocation_id}',
        operationId: 'getToolStatus',
        summary: 'How a call stands',
        parameters: { invocation_id: Type.String() },
        query,
        answers,
        onMalformed: malformed,
      },
      ({ parameters, query: { wait = 0 }, bearer, left }) =>
        answer({ id: parameters.invocation_id, context: null, bearer, wait, left }),
    ),
    route(
      {
        method: 'POST',
        path: '/v1/tool/status',
        operationId: 'toolStatus',
        summary: 'How a call stands',
        query,
        body: StatusRequestSchema,
        answers,
        onMalformed: malformed,
      },
      ({ body, query: { wait = 0 }, bearer, left }) =>
        answer({ id: body.invocation_id, context: body.agent_context ?? null, bearer, wait, left }),
    ),
    cancelRoute(parts),
  ];
}

/**
 * Finds the call that an id names, among the caller's own. For calls of others the answer is the same as for those that
 * never were.
 */
function findOwnCall(
  { id, context, bearer }: Pick<StatusQuery, 'id' | 'context' | 'bearer'>,
  { invocations }: InvokeDeps,
): string | null {
  if (namesAnother(bearer, context)) return null;
  return invocations.find(context === null ? { bearer: bearerOf(bearer) } : scopeOf(bearer, claimsIn(context)), id);
}

function answerStatus(callId: string, parts: InvokeDeps) {
  const seen = parts.invocations.read(callId);
  const [, percent, phase] = readStatus(callId, parts);
  const checkpoint = lastCheckpoint(callId, parts);
  const common = {
    invocation_id: callId,
    progress_percent: percent,
    current_phase: phase,
    latest_checkpoint: checkpoint === null ? null : checkpointOf(checkpoint),
  };
  if (seen === null || !isSettled(seen)) {
    const begun = seen === null ? {} : { execution_metadata: metadataOf(seen) };
    return answerWith(202, { ...common, ...begun, status: seen === null ? 'pending' : statusOf(seen), error: null });
  }
  const tool = readToolEndFacts(seen, parts, null);
  const given = seen.failure === null ? { result: givenValue(seen, parts.kindOf) } : {};
  return answerWith(200, {
    ...common,
    status: settledStatus(seen, tool),
    error: errorOf(seen, tool, callId),
    execution_metadata: metadataOf(seen),
    warnings: seen.warnings,
    ...given,
  });
}

const lastCheckpoint = (
  callId: string,
  { gate, invocations }: Pick<InvokeDeps, 'gate' | 'invocations'>,
): Checkpoint | null => gate.findActiveCall(callId)?.checkpoint ?? invocations.read(callId)?.checkpoint ?? null;

function readStatus(callId: string, { gate, invocations }: InvokeDeps): ToldStatus {
  const seen = invocations.read(callId);
  const { percent = null, phase = null } = gate.findActiveCall(callId)?.told ?? {};
  const status = seen === null ? 'pending' : isSettled(seen) ? 'settled' : statusOf(seen);
  return [
    status,
    percent === null ? null : Math.round(percent),
    phase,
    lastCheckpoint(callId, { gate, invocations })?.id ?? null,
  ];
}

/** Resolves when another look would tell something else, or the time is over. */
async function waitForChange(
  callId: string,
  { wait, left }: Pick<StatusQuery, 'wait' | 'left'>,
  parts: InvokeDeps,
  watched: WatchedCalls,
): Promise<void> {
  const before = readStatus(callId, parts);
  if (before[0] === 'settled') return;
  const ends: (() => void)[] = [];
  const change = new Promise<void>((resolve) => {
    const look = (): void => {
      if (readStatus(callId, parts).some((each, at) => each !== before[at])) resolve();
    };
    ends.push(watched.on(callId, look));
    const live = parts.gate.findActiveCall(callId);
    if (live !== null) ends.push(live.onProgress(look));
  });
  await firstOf(change, wait * 1000, left);
  for (const end of ends) end();
}

function cancelRoute(parts: InvokeDeps): Route {
  return route(
    {
      method: 'POST',
      path: '/v1/tool/cancel',
      operationId: 'cancelTool',
      summary: 'Takes a call back',
      body: CancelRequestSchema,
      answers: {
        200: { description: 'Whether it could be taken back.', schema: CancelResponseSchema },
        ...REFUSED,
        404: { description: 'There is none with this id, or it is another’s.', schema: CancelResponseSchema },
      },
      onMalformed: malformed,
    },
    ({ body, bearer }) => {
      const { invocation_id: id, agent_context: context } = body;
      const said = (cancelled: boolean, message: string) => ({ invocation_id: id, cancelled, message });
      const callId = findOwnCall({ id, context: context ?? null, bearer }, parts);
      if (callId === null) return answerWith(404, said(false, 'Not found'));
      const call = parts.gate.findActiveCall(callId);
      const seen = parts.invocations.read(callId);
      if (seen !== null && isSettled(seen)) return answerWith(200, said(false, 'Already completed'));
      if (call === null) return answerWith(200, said(false, LEFT_BY_CRASH));
      const runs = seen?.summary.state === 'EXECUTING';
      call.cancel();
      return answerWith(200, said(true, runs ? 'Cancellation in progress' : 'Cancelled'));
    },
  );
}

const LEFT_BY_CRASH = 'It waits for the user, who decides in Gatehouse about the work that was unfinished.';
