import { NATURE_WORDS } from '#contract/vocabulary/nature.js';
import type { Failure } from '#contract/vocabulary/outcomes.js';
import type { OutsideProblem } from '../ports/outside.js';

const MAX_BODY_CHARACTERS = 8_000;

/** The failure of a call that was answered with a status of 400 or more. `said`: the body, as it came. */
export function statusFailure(what: string, status: number, said: string): Failure {
  const shown = said.trim() === '' ? '' : `: ${said.trim().slice(0, MAX_BODY_CHARACTERS)}`;
  const message = `${what} was answered with ${status}${shown}`;
  if (status === 429) return { code: 'RateLimited', message, eCode: 'E3303' };
  if (status === 401 || status === 403) return { code: 'ExecutionFailed', message, eCode: 'E3307' };
  return status >= 500 ? { code: 'ExecutionFailed', message, eCode: 'E3304' } : { code: 'ExecutionFailed', message };
}

/**
 * The failure of a call whose request or answer did not get through. `hasEffect`: it is told where the end of that is
 * not known.
 */
export function requestFailure(problem: OutsideProblem, hasEffect: boolean): Failure {
  const { kind, mayHaveArrived } = problem;
  const message =
    hasEffect && mayHaveArrived ? `${problem.message} ${NATURE_WORDS.remote.unknownEnd}` : problem.message;
  switch (kind) {
    case 'key':
      return { code: 'ExecutionFailed', message, eCode: 'E3302' };
    case 'unsendable':
      return { code: 'BadArgs', message };
    case 'redirect':
    case 'too-large':
    case 'not-understood':
      return { code: 'ExecutionFailed', message, eCode: 'E3308' };
    case 'address':
    case 'unreachable':
    case 'no-answer':
    case 'stalled':
    case 'broke-off':
      return { code: 'SourceUnavailable', message, eCode: 'E3306' };
  }
}
