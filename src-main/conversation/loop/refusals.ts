import type { Failure } from '#contract/vocabulary/outcomes.js';
import { CANCELLED_BY_PERSON, MESSAGE_BROKE_OFF } from '../../domain/call/failures.js';
import type { CallsRefusal } from './loop-state.js';

/** FR-RES-03. */
export const ENOUGH_ROUNDS: Failure = { code: 'LimitsExceeded', message: 'Max tool iterations reached' };

/** FR-REG-04b: what they gave could not be sent. */
export const NO_ROOM: Failure = {
  code: 'LimitsExceeded',
  message: 'The model’s context has no room left for what this would give, so it did not run.',
};

/** The failures by which calls end that do not run. */
export const REFUSALS: Readonly<Record<CallsRefusal, Failure>> = {
  rounds: ENOUGH_ROUNDS,
  'broke-off': MESSAGE_BROKE_OFF,
  stopped: CANCELLED_BY_PERSON,
};
