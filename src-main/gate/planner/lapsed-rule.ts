import { isDeepStrictEqual } from 'node:util';
import type { Failure } from '#contract/vocabulary/outcomes.js';
import type { AuthorizedCall } from '../../domain/call/call-stages.js';
import type { Verdict } from '../../domain/policy/authorize.js';
import type { ConfirmationVerdict } from '../../domain/policy/policy-rules.js';
import type { RuleVerdict } from '../../domain/ports/gate/standing-rules.js';

/**
 * Compares the rule verdict of now with the one that let the call run when it was planned. Null while they are the
 * same; otherwise the call has to be judged again.
 */
export function findLapsedRule(now: RuleVerdict, { grant }: AuthorizedCall): Failure | null {
  if (now.kind === 'ask') return ruleLapsed(now.why);
  const { from, rule, runs, leastConfinement, readable } = grant;
  // Another rule with the same words is another yes: the record says which of them let it run.
  const isSameRule = now.grant.from.id === from.id && now.grant.rule === rule;
  const same =
    isSameRule &&
    now.grant.runs === runs &&
    now.grant.leastConfinement === leastConfinement &&
    isDeepStrictEqual(now.grant.readable, readable);
  return same ? null : ruleLapsed(null);
}

/** Explains why a call that was allowed without a question would need one now. */
export function explainNewQuestion(verdict: Extract<Verdict, { kind: 'ask' }>): string {
  if (verdict.for === 'result') return 'tools only wait for results now';
  return verdict.id === 'agent.ask' ? 'the user reviews its calls now' : 'the rule that allowed it no longer applies';
}

/** What a rule says, as authorize is told it. */
export const toConfirmation = (ruled: RuleVerdict): ConfirmationVerdict =>
  ruled.kind === 'run'
    ? {
        kind: 'run',
        id: ruled.grant.from.id,
        words: ruled.grant.rule,
        foreign: ruled.foreign,
        readable: ruled.grant.readable,
      }
    : { kind: 'ask', words: ruled.why, unlessRead: ruled.unlessRead };

const ruleLapsed = (why: string | null): Failure => ({
  code: 'NoDecision',
  message:
    `This did not run: the rule that allowed it no longer applies.${why === null ? '' : ` ${why}`} ` +
    'Request it again for a new decision.',
});
