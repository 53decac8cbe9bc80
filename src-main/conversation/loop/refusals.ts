import type { Failure } from '#contract/vocabulary/outcomes.js';
import { cancelledByUser, messageBrokeOff } from '../../domain/call/failures.js';
import type { Refusal } from './standing.js';

/** FR-RES-03. */
export const ENOUGH_ROUNDS: Failure = { code: 'LimitsExceeded', message: 'Max tool iterations reached' };

/** What calls end with that do not run. */
export const REFUSALS: Readonly<Record<Refusal, Failure>> = {
  rounds: ENOUGH_ROUNDS,
  'broke-off': messageBrokeOff,
  stopped: cancelledByUser,
};
