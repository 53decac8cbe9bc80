import type { FailureCode } from '#contract/vocabulary/outcomes.js';

/** Seed 001's. */
export const EXECUTION_STATUSES = ['success', 'failure', 'cancelled', 'timeout'] as const;
export type ExecutionStatus = (typeof EXECUTION_STATUSES)[number];

export const ERROR_TYPES = [
  'ValidationError',
  'SecurityError',
  'ExecutionError',
  'ResourceError',
  'TimeoutError',
  'NotFoundError',
  'SystemError',
] as const;
export type ErrorType = (typeof ERROR_TYPES)[number];

interface EnvelopeErrorWords {
  readonly status: Exclude<ExecutionStatus, 'success'>;
  /** Null: its status says it all. */
  readonly type: ErrorType | null;
  /** The advice to the caller, where nothing closer is known. */
  readonly suggestion: string;
}

const failure = (type: ErrorType, suggestion: string): EnvelopeErrorWords => ({ status: 'failure', type, suggestion });
const askUser = 'Ask the user: only they can allow it, in Gatehouse.';
const elsewhere = 'Look at what the tool says, and try other parameters.';

/** The one table from our outcomes to seed 001's words. What is missing here does not compile. */
export const ENVELOPE_WORDS: Readonly<Record<FailureCode, EnvelopeErrorWords>> = {
  BadArgs: failure(
    'ValidationError',
    'Send parameters that fit the tool’s schema: POST /v1/tool/list names the tools.',
  ),
  OutputInvalid: failure(
    'ValidationError',
    'Nothing in the request is wrong: its result does not fit what the tool promises. Tell its author.',
  ),
  DuplicateToolCallId: failure('ValidationError', 'Use a new context.request_id for each request.'),
  UnknownTool: failure('NotFoundError', 'Ask POST /v1/tool/list which tools there are.'),
  Disabled: failure('SecurityError', 'Ask the user to turn tools on in Gatehouse and to open a folder.'),
  Denylisted: failure('SecurityError', askUser),
  PathOutsideSandbox: failure('SecurityError', 'Use a path inside the open folder, relative to it.'),
  DeniedPatternMatched: failure('SecurityError', 'Use another file: the user keeps files of this name from tools.'),
  SandboxViolation: failure('SecurityError', 'Use a plain file or folder inside the open folder.'),
  DeniedByPerson: failure('SecurityError', 'Read the user’s reason, and ask for something else.'),
  NoDecision: failure('SecurityError', 'Ask again when the user is there to decide.'),
  ToolChanged: failure('SecurityError', 'Ask the user to review the tool in Gatehouse, under Tools.'),
  NotPermitted: failure('SecurityError', askUser),
  LimitsExceeded: failure('ResourceError', 'Ask for less at once, or wait for other calls to end.'),
  RateLimited: failure('ResourceError', 'Wait a moment, then ask again.'),
  ResourceExhausted: failure('ResourceError', 'Ask for less at once: fewer or smaller things.'),
  ExecutionFailed: failure('ExecutionError', elsewhere),
  PatchFailed: failure('ExecutionError', 'Read the file again, and make the patch from what it holds.'),
  StaleFile: failure('ExecutionError', 'Read the file again, then ask again.'),
  SourceUnavailable: failure(
    'ExecutionError',
    'Try again later, or ask the user to look at the tool’s source in Gatehouse.',
  ),
  CircuitOpen: failure('ExecutionError', 'Wait until the service answers again, then ask again.'),
  Interrupted: failure('SystemError', 'Look at what it may have done, then ask again.'),
  Internal: failure('SystemError', 'Try again; the log of Gatehouse says what went wrong.'),
  StateError: failure('SystemError', 'Ask the user to look at the files that it names: they stay changed.'),
  JournalUnavailable: failure(
    'SystemError',
    'Ask the user to look at Gatehouse: it can’t write its record. Then try again.',
  ),
  Timeout: { status: 'timeout', type: 'TimeoutError', suggestion: 'Ask for less at once: it took longer than it may.' },
  Cancelled: { status: 'cancelled', type: null, suggestion: 'Ask again if it is still wanted.' },
};
