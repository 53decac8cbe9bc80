import type { StandingConfirmation } from '../../domain/policy/standing-confirmation.js';
import { digestOf } from '../../platform/digest.js';

/**
 * What the record calls a rule of the settings. By all that it says, never by its place in the file: another rule that
 * comes to stand there must not inherit what this one let through.
 */
export const ruleIdOf = (rule: StandingConfirmation): string => digestOf(rule).slice(0, 12);
