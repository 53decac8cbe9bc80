import type { StandingConfirmation } from '../../domain/policy/remembered/standing-confirmation.js';
import { digestJson } from '../../platform/digest.js';

/**
 * Builds the id by which the record names a rule of the settings. It is a digest of all that the rule says, never its
 * place in the file: another rule that comes to be at that place must not inherit what this one let through.
 */
export const ruleIdOf = (rule: StandingConfirmation): string => digestJson(rule).slice(0, 12);
