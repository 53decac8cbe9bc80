import type { ApprovalRequest, RuleOptions } from '#contract/window/approvals.js';
import type { RuleWanted } from '#contract/vocabulary/decisions.js';
import type { DecisionMessage } from '../../domain/ports/gate/approval-desk.js';
import type { NewRule } from '../../domain/ports/gate/standing-rules.js';
import type { ValidatedCall } from '../../domain/call/call-stages.js';
import { joinSomeNames, taintWords } from '../../domain/policy/taint.js';
import type { SheetCall } from './sheet-call.js';

/** Describes the rules that could be made from a call, or why none can. */
export function describePossibleRules({ asked: { call, confirmable }, effect }: SheetCall): RuleOptions {
  const key = call.tool.ruleScope(call.parsed);
  const offer = effect.kind === 'command' ? (effect.rule ?? null) : null;
  const impossible =
    offer?.impossible ?? (confirmable ? null : `This is asked about every time: ${whyEveryTime(call)}`);
  return {
    impossible,
    command: key.of === 'words' ? key.words : null,
    prefix: offer?.prefix ?? null,
    runs: offer?.runs ?? null,
    readable: impossible === null ? (call.judgement.mayRead ?? []) : [],
    afterText: afterText(call),
  };
}

/** Says in words why no rule can answer for this call. */
function whyEveryTime({ judgement: { wish, lacked, taint } }: ValidatedCall): string {
  return wish ?? lacked ?? (taint === undefined ? '' : taintWords(taint));
}

/**
 * Warns that a rule made here does not hold while something that was read is against the call; null where nothing is
 * now.
 */
function afterText({ judgement: { taint } }: ValidatedCall): string | null {
  if (taint === undefined) return null;
  return `It doesn’t hold after reading ${joinSomeNames(taint.after)}: calls like this ask until that is forgotten.`;
}

/** Builds the rule from the call that main holds: the window says only which of the offered rules it is. */
export function buildRule(each: SheetCall, { what, who, readable = [] }: RuleWanted, hasToken: boolean): NewRule {
  const { call } = each.asked;
  const { command, prefix } = describePossibleRules(each);
  const words = command === null ? {} : what === 'first-words' && prefix !== null ? { prefix } : { command };
  const { agent, session } = call.asker;
  const owner = who === 'all' ? {} : agent === null || !hasToken ? { session } : { agent };
  return { tool: call.toolName, ...words, ...owner, ...(readable.length === 0 ? {} : { readable: [...readable] }) };
}

/** Why no rule can be made as the decision asks; null where it can, and where it asks for none. */
export function ruleProblem(shown: ApprovalRequest, { decision, rule }: DecisionMessage): string | null {
  if (rule === undefined) return null;
  const [only, more] = shown.calls;
  if (only === undefined || more !== undefined || decision.kind !== 'approve-all')
    return 'A rule is made from one call as you approve it. Nothing was decided. Answer again.';
  const { impossible, prefix, readable } = only.rule;
  if (impossible !== null) return `No rule can cover this. ${impossible}`;
  if (rule.what === 'first-words' && prefix === null)
    return 'A rule can’t cover the first words of this command. Nothing was decided. Answer again.';
  if (rule.readable?.every((place) => readable.includes(place)) === false)
    return 'A rule can’t let commands read what this one didn’t fail for. Nothing was decided. Answer again.';
  if (rule.who === 'asker' && rule.until === 'always' && !shown.hasToken)
    return 'A rule for a session ends with the session. Nothing was decided. Answer again.';
  return null;
}
