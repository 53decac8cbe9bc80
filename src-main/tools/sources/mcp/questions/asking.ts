import { type Client, ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/client';
import type { SourceConfig } from '#contract/vocabulary/tools/sources.js';
import type {
  QuestionContext,
  SampleOutcome,
  ServerQuestions,
} from '../../../../domain/ports/sources/server-questions.js';
import { readElicitation, readSampling, UnaskableQuestion } from './read-question.js';

/** A call that is under way, as far as a server’s question belongs to it. */
export interface CallInFlight {
  readonly callId: string;
  readonly operation: string;
  /** Aborts when the call ended, however. */
  readonly over: AbortSignal;
  /** Stops the call's time while the person is asked, until the returned function is called. */
  readonly hold: () => () => void;
  questions: number;
  /** Texts that a model was asked for the call, and answered. */
  readonly sampled: Extract<SampleOutcome, { readonly given: true }>[];
}

export interface QuestionDeps {
  readonly source: string;
  readonly settings: Pick<SourceConfig, 'elicitation' | 'sampling'>;
  readonly questions: ServerQuestions;
  readonly calls: () => readonly CallInFlight[];
}

/** The limit for one call: a server that asks without end is not answered any more. */
const MAX_QUESTIONS = 30;

export const toCapabilities = ({ elicitation, sampling }: QuestionDeps['settings']) => ({
  ...(elicitation ? { elicitation: { form: {}, url: {} } } : {}),
  ...(sampling ? { sampling: {} } : {}),
});

/** A server’s questions: only where the person turned them on, only in a call, and only to the person. */
export function answerQuestions(client: Client, parts: QuestionDeps): void {
  const { settings, questions } = parts;
  if (settings.elicitation)
    client.setRequestHandler('elicitation/create', async ({ params }, { mcpReq: { signal } }) => {
      const question = readOrReject(() => readElicitation(params));
      const answer = await askWhileHeld(parts, signal, (by) => questions.ask(question, by));
      if (answer.action !== 'accept' || question.kind === 'page') return { action: answer.action };
      return {
        action: 'accept',
        content: (answer.content ?? {}) as Record<string, string | number | boolean | string[]>,
      };
    });
  if (settings.sampling)
    client.setRequestHandler('sampling/createMessage', async ({ params }, { mcpReq: { signal } }) => {
      const request = readOrReject(() => readSampling(params));
      const sampled = await askWhileHeld(parts, signal, async (by) => {
        const said = await questions.sample(request, by);
        if (!said.given) throw new ProtocolError(REJECTED_CODE, said.words);
        // For which of several it was, a server doesn’t tell: what one agent’s model said is not the others’ to read.
        const [only, ...others] = by.calls;
        if (others.length === 0)
          parts
            .calls()
            .find(({ callId }) => callId === only?.callId)
            ?.sampled.push(said);
        return said;
      });
      return {
        role: 'assistant',
        model: sampled.model,
        content: { type: 'text', text: sampled.text },
        stopReason: sampled.wasCut ? 'maxTokens' : 'endTurn',
      };
    });
}

/** The protocol's code for the person's no. */
const REJECTED_CODE = -1;

function readOrReject<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (error instanceof UnaskableQuestion) throw new ProtocolError(ProtocolErrorCode.InvalidParams, error.message);
    throw error;
  }
}

/** Stops the time of all calls in flight while the person is asked: any of them may be waiting for the answer. */
async function askWhileHeld<T>(
  parts: QuestionDeps,
  signal: AbortSignal,
  ask: (by: QuestionContext) => Promise<T>,
): Promise<T> {
  const by = toAskedBy(parts, signal);
  const held = parts.calls().map((call) => call.hold());
  try {
    return await ask(by);
  } finally {
    for (const letGo of held) letGo();
  }
}

function toAskedBy({ source, calls }: QuestionDeps, signal: AbortSignal): QuestionContext {
  const now = calls();
  if (now.length === 0) throw new ProtocolError(ProtocolErrorCode.InvalidRequest, 'No call of yours is under way.');
  for (const call of now) call.questions += 1;
  if (now.every(({ questions }) => questions > MAX_QUESTIONS))
    throw new ProtocolError(ProtocolErrorCode.InvalidRequest, 'You asked too often in one call.');
  return {
    source,
    calls: now.map(({ callId, operation }) => ({ callId, operation })),
    signal: createEndSignal(now, signal),
  };
}

/** When the last of them ended, or the server took its question back. */
function createEndSignal(calls: readonly CallInFlight[], takenBack: AbortSignal): AbortSignal {
  const over = new AbortController();
  let left = calls.length;
  const ended = (): void => {
    if ((left -= 1) === 0) over.abort();
  };
  for (const call of calls) call.over.addEventListener('abort', ended, { once: true });
  if (takenBack.aborted) over.abort();
  takenBack.addEventListener('abort', () => over.abort(), { once: true });
  return over.signal;
}
