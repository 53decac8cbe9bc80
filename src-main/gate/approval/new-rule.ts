import type { ApprovalRequest, RulePossible } from '#contract/window/approvals.js';
import type { RuleWanted } from '#contract/vocabulary/decisions.js';
import type { DecisionMessage } from '../../domain/ports/gate/approval-desk.js';
import type { NewRule } from '../../domain/ports/gate/standing-rules.js';
import type { ValidatedCall } from '../../domain/call/call-stages.js';
import { someOf, taintWords } from '../../domain/policy/taint.js';
import type { SheetCall } from './sheet-call.js';

/** What a rule could be made of, and why not. */
export function rulePossible({ asked: { call, confirmable }, effect }: SheetCall): RulePossible {
  const key = call.tool.standingKey(call.parsed);
  const offer = effect.kind === 'command' ? (effect.rule ?? null) : null;
  return {
    impossible: offer?.impossible ?? (confirmable ? null : `This is asked about every time: ${whyEveryTime(call)}`),
    command: key.of === 'words' ? key.words : null,
    prefix: offer?.prefix ?? null,
    runs: offer?.runs ?? null,
    afterText: afterText(call),
  };
}

/** What no rule answers, in words. */
function whyEveryTime({ judgement: { wish, taint } }: ValidatedCall): string {
  return wish ?? (taint === undefined ? '' : taintWords(taint));
}

/** A rule that is made here holds where nothing that was read is against a call: where something is now, the person is told. */
function afterText({ judgement: { taint } }: ValidatedCall): string | null {
  if (taint === undefined) return null;
  return `It doesn’t hold after reading ${someOf(taint.after)}: calls like this ask until that is forgotten.`;
}

/** Of the call that main holds: the window says only which of what was offered. */
export function ruleOf(each: SheetCall, { what, who }: RuleWanted, hasToken: boolean): NewRule {
  const { call } = each.asked;
  const { command, prefix } = rulePossible(each);
  const words = command === null ? {} : what === 'first-words' && prefix !== null ? { prefix } : { command };
  const { agent, session } = call.asker;
  const owner = who === 'all' ? {} : agent === null || !hasToken ? { session } : { agent };
  return { tool: call.toolName, ...words, ...owner };
}

/** Why no rule can be made as the decision asks; null where it can, and where it asks for none. */
export function ruleProblem(shown: ApprovalRequest, { decision, rule }: DecisionMessage): string | null {
  if (rule === undefined) return null;
  const [only, more] = shown.calls;
  if (only === undefined || more !== undefined || decision.kind !== 'approve-all')
    return 'A rule is made from one call as you approve it. Nothing was decided. Answer again.';
  const { impossible, prefix } = only.rule;
  if (impossible !== null) return `No rule can cover this. ${impossible}`;
  if (rule.what === 'first-words' && prefix === null)
    return 'A rule can’t cover the first words of this command. Nothing was decided. Answer again.';
  if (rule.who === 'asker' && rule.until === 'always' && !shown.hasToken)
    return 'A rule for a session ends with the session. Nothing was decided. Answer again.';
  return null;
}
