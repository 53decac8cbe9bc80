import { writeTraceParent } from '../../../domain/call/trace-context.js';
import type { Failure } from '#contract/vocabulary/outcomes.js';
import type { JsonObject } from '#contract/vocabulary/json.js';
import { NATURE_WORDS } from '#contract/vocabulary/nature.js';
import { type Outside, OutsideProblem } from '../../../domain/ports/outside.js';
import type { DoorContext } from '../../../domain/call/door-context.js';
import { ToolFailure } from '../../../domain/tool/tool.js';
import {
  MAX_WORKER_ANSWER_BYTES,
  readWorkerAnswer,
  buildRequestBody,
  type RunMeta,
  type EnvelopeAnswer,
} from '../worker-envelope.js';

/** Where a worker is asked. */
export interface WorkerAddress {
  readonly baseUrl: string;
  readonly endpoint: string;
  /** The socket of a worker that runs here. */
  readonly socketPath?: string;
}

export interface WorkerRequest {
  readonly toolId: string;
  readonly sideEffecting: boolean;
  readonly meta: RunMeta;
  readonly input: JsonObject;
  readonly traceParent: DoorContext['traceParent'];
  /** Our own id in the trace. */
  readonly spanId: string;
  /** How long it may take in all, and by whose word. */
  readonly withinMs: number;
  readonly byCaller: boolean;
}

/** Asks once, and waits no longer than the deadline. Throws a `ToolFailure` where there is no whole answer. */
export async function askWorker(
  outside: Outside,
  at: WorkerAddress,
  asked: WorkerRequest,
  stop: AbortSignal,
): Promise<Exclude<EnvelopeAnswer, { kind: 'broken' }>> {
  if (asked.withinMs <= 0) throw new ToolFailure(deadlineFailure(asked));
  const late = new AbortController();
  const timer = setTimeout(() => late.abort(new ToolFailure(deadlineFailure(asked))), asked.withinMs);
  try {
    const body = await sendRequest(outside, at, asked, AbortSignal.any([stop, late.signal]));
    const answer = readWorkerAnswer(body, asked.meta);
    if (answer.kind === 'broken') throw envelopeFailure(asked, answer.why);
    return answer;
  } catch (error) {
    stop.throwIfAborted();
    late.signal.throwIfAborted();
    if (error instanceof OutsideProblem) throw new ToolFailure(toFailure(asked, error));
    throw error;
  } finally {
    clearTimeout(timer);
  }
}

async function sendRequest(
  outside: Outside,
  at: WorkerAddress,
  asked: WorkerRequest,
  signal: AbortSignal,
): Promise<Uint8Array> {
  const base = at.baseUrl.replace(/\/+$/u, '');
  const answer = await outside.send(
    {
      method: 'POST',
      url: `${base}${at.endpoint}`,
      within: at.baseUrl,
      headers: {
        accept: 'application/json',
        'content-type': 'application/json',
        ...(asked.traceParent === null ? {} : { traceparent: writeTraceParent(asked.traceParent, asked.spanId) }),
      },
      body: buildRequestBody(asked.meta, asked.input),
      keys: [],
      ...(at.socketPath === undefined ? {} : { socketPath: at.socketPath }),
    },
    signal,
  );
  return answer.bytes(MAX_WORKER_ANSWER_BYTES);
}

function deadlineFailure({ toolId, withinMs, byCaller }: WorkerRequest): Failure {
  const seconds = (Math.max(0, withinMs) / 1000).toFixed(withinMs < 10_000 ? 1 : 0);
  const whose = byCaller ? 'that was its caller’s deadline' : 'that is its time limit';
  return {
    code: 'Timeout',
    message: `${toolId} was stopped after ${seconds} s: ${whose}.`,
    elapsedMs: Math.max(0, Math.round(withinMs)),
    eCode: 'E3103',
  };
}

const unknownEffectWords = ({ sideEffecting }: WorkerRequest, arrived = true): string =>
  sideEffecting && arrived ? ` ${NATURE_WORDS.remote.unknownEnd}` : '';

/** The failure of a worker that answered, but not as the contract says. */
const envelopeFailure = (asked: WorkerRequest, why: string): ToolFailure =>
  new ToolFailure({
    code: 'OutputInvalid',
    message: `The worker of ${asked.toolId} broke the envelope: ${why}.${unknownEffectWords(asked)}`,
    eCode: 'E3308',
  });

/** The failure of a request that got no whole answer. */
function toFailure(asked: WorkerRequest, { kind, message, mayHaveArrived }: OutsideProblem): Failure {
  switch (kind) {
    case 'too-large':
      return envelopeFailure(asked, `its answer is longer than ${MAX_WORKER_ANSWER_BYTES / 2 ** 20} MB`).failure;
    case 'not-understood':
      return envelopeFailure(asked, `its answer is compressed (${message})`).failure;
    case 'redirect':
      return { code: 'ExecutionFailed', message: `${message}${unknownEffectWords(asked)}`, eCode: 'E3308' };
    case 'key':
    case 'unsendable':
    case 'address':
    case 'unreachable':
    case 'no-answer':
    case 'stalled':
    case 'broke-off':
      return {
        code: 'SourceUnavailable',
        message: `The worker of ${asked.toolId} did not answer: ${message}${unknownEffectWords(asked, mayHaveArrived)}`,
        eCode: 'E3101',
      };
  }
}
