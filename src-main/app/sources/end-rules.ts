import { matchesOnly } from '../../domain/tool/tool-identity.js';
import type { RuleBook } from '../state/confirmations.js';

/**
 * Ends the rules for tools that were accepted in a changed form: a rule for one of them alone was for what it was. A
 * rule for more goes on: it is for whatever the person accepts of that source. Returns why rules could not be ended.
 */
export async function endRules(
  changed: readonly { readonly toolId: string; readonly operation: { readonly version: string } }[],
  rules: Pick<RuleBook, 'all' | 'remove'>,
  nameOf: (toolId: string) => string | null,
  tell: (title: string, text: string) => void,
): Promise<readonly string[]> {
  const identities = changed.map(({ toolId, operation }) => ({
    name: nameOf(toolId) ?? '',
    id: toolId,
    version: operation.version,
  }));
  const over = rules.all().filter(({ rule }) => identities.some((tool) => matchesOnly(rule.tool, tool)));
  const problems: string[] = [];
  for (const { id, rule } of over) {
    const problem = await rules.remove(id);
    if (problem !== null) problems.push(`the rule for ${rule.tool} could not be ended: ${problem}`);
    const text = problem ?? `${rule.tool} is not what it was when you made it. Make a new one where you want it.`;
    tell(problem === null ? 'A rule ended' : 'A rule could not be ended', text);
  }
  return problems;
}
