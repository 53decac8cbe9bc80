import {
  InsufficientScopeError,
  ProtocolError,
  SdkError,
  SdkErrorCode,
  SdkHttpError,
  UnauthorizedError,
} from '@modelcontextprotocol/client';
import { requestFailure, statusFailure } from '../../../domain/outside/request-failures.js';
import { OutsideProblem } from '../../../domain/ports/outside.js';
import { SourceProblem } from '../../../domain/ports/sources/source.js';
import { ToolFailure } from '../../../domain/tool/tool.js';
import { CONNECTION_LOST } from './connection.js';
import { MessageTooLarge } from './transport/message-too-large.js';
import { executionFailure, UNKNOWN_EFFECT, MAX_QUOTED, outputInvalidFailure, unavailableFailure } from './failures.js';
import type { BrokenConnection } from './transport/line-transport.js';
import { SignInRequiredProblem } from './sign-in/sign-in.js';

/** The facts about a call that its failure is worded with. */
export interface FailureContext {
  readonly source: string;
  readonly beganAt: number;
  readonly signal: AbortSignal;
  /** The break of its server’s connection, where that is why. */
  readonly broken: BrokenConnection | null;
  /** The last words of its server beside its answers. */
  readonly complaints: string;
}

/** Maps each way in which a call of a server can fail to a failure, as the outcome table has it. */
export function toToolFailure(error: unknown, call: FailureContext): ToolFailure {
  const { source, signal, broken, complaints } = call;
  if (error instanceof ToolFailure) return error;
  if (signal.aborted)
    return new ToolFailure({ code: 'Cancelled', message: `The call of “${source}” was stopped. ${UNKNOWN_EFFECT}` });
  if (broken !== null) return toBrokenFailure(source, broken, complaints);
  const tooLarge = findCause(error, (each) => each instanceof MessageTooLarge);
  if (tooLarge !== null)
    return toBrokenFailure(source, { kind: 'too-large', words: 'it sent a message of more than 8 MB' }, '');
  const problem = findCause(error, (each) => each instanceof OutsideProblem);
  if (problem instanceof OutsideProblem) return new ToolFailure(requestFailure(problem, true));
  if (error instanceof SignInRequiredProblem) return executionFailure(error.message, 'E3307');
  if (error instanceof SourceProblem) return unavailableFailure(error.message);
  if (error instanceof InsufficientScopeError)
    return executionFailure(
      `“${source}” wants a sign-in for more than yours is. Choose “Sign in…” beside it, under Tools.`,
      'E3307',
    );
  if (error instanceof UnauthorizedError) return new ToolFailure(statusFailure(`“${source}”`, 401, WANTS_A_KEY));
  if (error instanceof SdkHttpError)
    return new ToolFailure(statusFailure(`“${source}”`, error.status, readResponseText(error)));
  if (error instanceof ProtocolError && error.code === CONNECTION_LOST)
    return unavailableFailure(`“${source}”: ${error.message}. ${UNKNOWN_EFFECT}`);
  if (error instanceof ProtocolError)
    return executionFailure(
      `“${source}” answered with an error (${error.code}): ${error.message.slice(0, MAX_QUOTED)}`,
      'E3304',
    );
  if (error instanceof SdkError) return toSdkFailure(source, error, call);
  // What can’t be read, or not as a message.
  if (error instanceof Error && /^(?:SyntaxError|\$?ZodError)$/u.test(error.name))
    return outputInvalidFailure(source, 'it is no message of the protocol');
  return unavailableFailure(
    `“${source}” can’t be used: ${error instanceof Error ? error.message : String(error)} ${UNKNOWN_EFFECT}`,
  );
}

/** Why it could not be begun, in words that say nothing of how it was greeted. */
export function toSourceProblem(source: string, error: unknown): SourceProblem {
  if (error instanceof SourceProblem) return error;
  return new SourceProblem('failed', `“${source}” can’t be used: ${describeStartFailure(error)}`);
}

function describeStartFailure(error: unknown): string {
  const outside = findCause(error, (each) => each instanceof OutsideProblem);
  if (outside instanceof OutsideProblem) return outside.message;
  if (needsKey(error)) return WANTS_A_KEY;
  if (error instanceof SdkHttpError) return `it answered with ${error.status}.`;
  if (error instanceof SdkError && error.code === SdkErrorCode.RequestTimeout) return 'it did not answer in time.';
  const message = error instanceof Error ? error.message : String(error);
  return message.replace(/^Version negotiation (?:probe )?failed: /u, '');
}

/** Whether the server is there, and lets nobody in without a key, or with this one. */
const needsKey = (error: unknown): boolean =>
  error instanceof UnauthorizedError ||
  (error instanceof SdkHttpError && (error.status === 401 || error.status === 403));

/** The end of a call whose source could not be begun for it: nothing was sent. */
export function toStartFailure(source: string, error: unknown): ToolFailure {
  const { message } = toSourceProblem(source, error);
  return error instanceof SignInRequiredProblem || needsKey(error)
    ? executionFailure(message, 'E3307')
    : unavailableFailure(message);
}

/** The text of the response, where it was kept. */
function readResponseText({ data }: SdkHttpError): string {
  const said = data['text'];
  return typeof said === 'string' ? said : '';
}

const WANTS_A_KEY = 'it wants a key. Give it one in its headers.';

function toBrokenFailure(source: string, { kind, words }: BrokenConnection, complaints: string): ToolFailure {
  const said = complaints === '' ? '' : ` It said last: ${complaints}`;
  switch (kind) {
    case 'too-large':
    case 'flood':
      return executionFailure(`“${source}” was ended: ${words}. ${UNKNOWN_EFFECT}`, 'E3308');
    case 'garbled':
      return outputInvalidFailure(source, words);
    case 'ended':
      return unavailableFailure(
        `“${source}” went away while it was asked: ${words}. ${UNKNOWN_EFFECT} It is started again at the next call.${said}`,
      );
  }
}

function toSdkFailure(source: string, error: SdkError, call: FailureContext): ToolFailure {
  if (error.code === SdkErrorCode.RequestTimeout) {
    const elapsedMs = Math.round(performance.now() - call.beganAt);
    const message = `“${source}” did not answer within ${Math.round(elapsedMs / 1000)} s. ${UNKNOWN_EFFECT}`;
    return new ToolFailure({ code: 'Timeout', message, elapsedMs, eCode: 'E3103' });
  }
  if (NO_RESULT.has(error.code))
    return outputInvalidFailure(source, 'it is no result of a tool as the protocol has it');
  return unavailableFailure(`“${source}” can’t be reached: ${error.message}. ${UNKNOWN_EFFECT}`);
}

const NO_RESULT: ReadonlySet<SdkErrorCode> = new Set([
  SdkErrorCode.InvalidResult,
  SdkErrorCode.UnsupportedResultType,
  SdkErrorCode.ClientHttpUnexpectedContent,
]);

/** The error itself, or what is behind it. */
export function findCause(error: unknown, is: (each: unknown) => boolean): unknown {
  let each = error;
  for (let depth = 0; depth < 8 && each !== undefined && each !== null; depth += 1) {
    if (is(each)) return each;
    each = each instanceof Error ? each.cause : null;
  }
  return null;
}
