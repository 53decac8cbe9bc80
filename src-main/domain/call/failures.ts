import { CANCELLED_REASONS } from '#contract/vocabulary/call-labels.js';
import type { Failure } from '#contract/vocabulary/outcomes.js';
import type { UnrestoredChange } from '../ports/workspace/transaction.js';

/** The words a caller gets for each way a call can end badly. Plain, and naming what to do where something can be done. */
export const DISABLED_BY_POLICY: Failure = { code: 'Disabled', message: 'Tool execution disabled by policy' };
export const DISABLED_BY_MODE: Failure = {
  code: 'Disabled',
  message: 'Tools are turned off in Gatehouse.',
};
export const cancelledFailure = (who: keyof typeof CANCELLED_REASONS): Failure => ({
  code: 'Cancelled',
  message: CANCELLED_REASONS[who],
});
export const CANCELLED_BY_PERSON = cancelledFailure('person');
/**
 * The failure for a folder that is closed, was never open, does not exist, or is not this agent's: the same words, so
 * that they tell nothing.
 */
export const NOT_PERMITTED: Failure = {
  code: 'NotPermitted',
  message: 'This folder isn’t open to you in Gatehouse. Ask the user to open it, then connect again.',
};

export const journalUnavailableFailure = (problem: string | null): Failure => ({
  code: 'JournalUnavailable',
  message: `Gatehouse can't write its journal, so nothing runs${problem === null ? '' : `: ${problem}`}`,
});

export const interruptedFailure = (what: string): Failure => ({ code: 'Interrupted', message: what });

/** The failure of a call whose changes were to be undone after `cause`, and could not be. */
export const unrestoredFailure = (cause: Failure, { paths, why }: UnrestoredChange): Failure => ({
  code: 'StateError',
  message:
    `${cause.message.replace(/\.?$/u, '.')} Then it could not be undone: ${paths.map((path) => `“${path}”`).join(', ')} ` +
    `${paths.length === 1 ? 'stays' : 'stay'} changed, since ${why} Look there before anything else is done.`,
  file: paths[0],
});

/** The failure of each call of a model's message that did not end. */
export const MESSAGE_BROKE_OFF = interruptedFailure('Not run: the message broke off.');

/**
 * The text of a failure for the caller. FR-ERR-JSON-TOOL-01: a failure message that is a JSON object goes to the caller
 * verbatim, without prefix, marker or change of a byte; any other failed execution is named after its tool.
 */
export function formatFailure(failure: Failure, tool: string): { readonly text: string; readonly verbatim: boolean } {
  if (failure.code !== 'ExecutionFailed') return { text: failure.message, verbatim: false };
  if (isJsonObjectText(failure.message)) return { text: failure.message, verbatim: true };
  return { text: `${tool} failed: ${failure.message}`, verbatim: false };
}

function isJsonObjectText(text: string): boolean {
  if (!text.trimStart().startsWith('{')) return false;
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null;
  } catch {
    return false;
  }
}

const KNOWN_ERRORS = new Set([
  'Error',
  'TypeError',
  'RangeError',
  'SyntaxError',
  'ReferenceError',
  'URIError',
  'EvalError',
  'AggregateError',
]);

/**
 * The failure for something that a tool threw (FR-EXE-04b-3). It may hold anything, so only a name from a closed list
 * gets out.
 */
export function panicFailure(thrown: unknown): Failure {
  let name = 'an unknown error';
  try {
    if (thrown instanceof Error && KNOWN_ERRORS.has(thrown.name)) name = thrown.name;
  } catch {
    // A hostile error may throw when it is looked at.
  }
  return { code: 'Internal', message: `Tool panicked: ${name}` };
}

/** The failure of a call that ran past the deadline its caller had given. */
export const callerDeadlineFailure = (tool: string, elapsedMs: number): Failure => ({
  code: 'Timeout',
  message: `${tool} was stopped after ${(elapsedMs / 1000).toFixed(1)} s: that was its caller’s deadline.`,
  elapsedMs,
  eCode: 'E3103',
});
