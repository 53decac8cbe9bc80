import type { RuleRemark } from '#contract/vocabulary/rules.js';
import { isCoveredByFirstWords } from '../../commands/programs/first-words.js';
import {
  type AskedCall,
  type CommandAnalysis,
  findCoverage,
  hasExpired,
  type LiveRule,
  readRuleCommands,
} from './standing-confirmation.js';
import type { Verdict } from '../authorize.js';
import type { ToolIdentity } from '../../tool/tool-identity.js';

/** The facts that a rule is checked against. */
export interface RuleFacts {
  /** Null where there is no such tool. */
  readonly tool: (ToolIdentity & { readonly isCommand: boolean }) | null;
  /** The verdict on a call of that tool without any rule; null where there is no such tool. */
  readonly verdict: Verdict | null;
  /** The rule's words, read as a command's are; null where it has none. */
  readonly analysis: CommandAnalysis | null;
  readonly confinement: AskedCall['confinement'];
  readonly folder: 'there' | 'gone';
  readonly agent: 'known' | 'revoked' | 'unknown';
}

/** Why a rule lets nothing run as things are, and what else a person should know of it. */
export function describeRule(
  rule: LiveRule,
  facts: RuleFacts,
  others: readonly LiveRule[],
  now: number,
): readonly RuleRemark[] {
  return [...explainNeverApplies(rule, facts, now).map(never), ...notes(rule, facts, others, now).map(note)];
}

const never = (words: string): RuleRemark => ({ never: true, words });
const note = (words: string): RuleRemark => ({ never: false, words });

function explainNeverApplies(rule: LiveRule, facts: RuleFacts, now: number): readonly string[] {
  const { tool, verdict } = facts;
  const why = hasExpired(rule, now)
    ? [`It ended on ${rule.expires ?? ''}.`]
    : facts.folder === 'gone'
      ? ['Its folder is gone.']
      : facts.agent === 'revoked'
        ? [`${rule.agent ?? ''}’s token was revoked.`]
        : facts.agent === 'unknown'
          ? [`${rule.agent ?? ''} has no token: a name without one has no rules.`]
          : [];
  if (tool === null) return [...why, `There is no tool ${rule.tool}.`];
  if (verdict?.kind === 'deny') return [...why, `Denied all the same: ${verdict.words}`];
  if (verdict?.kind === 'ask' && !verdict.confirmable) return [...why, verdict.words];
  return [...why, ...unfitWords(rule, facts, tool)];
}

/** Asked as it would be asked, at its own place by whom it is for: what does not cover its own words covers nothing. */
function unfitWords(rule: LiveRule, facts: RuleFacts, tool: NonNullable<RuleFacts['tool']>): readonly string[] {
  const words = rule.command ?? rule.prefix;
  if (!tool.isCommand) return words === undefined ? [] : [`${tool.name} runs no commands.`];
  if (words === undefined) return ['It names no command.'];
  const { analysis, confinement } = facts;
  if (analysis === null) return [];
  const [reason] = [...analysis.obstacles, ...analysis.dangers];
  if (reason !== undefined) return [`Commands like this ask every time: ${reason}`];
  const { expires: _ended, ...lasting } = rule;
  const coverage = findCoverage([lasting], { ...askedBy(rule, tool), analysis, confinement }, 0);
  return coverage.covered ? [] : [coverage.why ?? 'Its words can’t be read with certainty, so it covers nothing.'];
}

const askedBy = (rule: LiveRule, tool: ToolIdentity): Omit<AskedCall, 'analysis' | 'confinement'> => ({
  tool,
  // No folder, no agent and no session has an empty name: only a rule for all covers that.
  workspace: rule.workspace ?? '',
  // A folder that is not there now may be when it is asked.
  leadsTo: rule.workspace ?? '',
  agent: rule.agent ?? null,
  session: rule.session ?? '',
});

function notes(rule: LiveRule, facts: RuleFacts, others: readonly LiveRule[], now: number): readonly string[] {
  const { tool, verdict, analysis } = facts;
  const found: string[] = [];
  if (verdict?.kind === 'run') found.push(`Not needed: ${verdict.words}`);
  const [words] = rule.prefix === undefined ? [] : readRuleCommands({ prefix: rule.prefix }).commands;
  if (words !== undefined && !isCoveredByFirstWords(words, [...words, 'x']))
    found.push('It covers exactly these words, with nothing after them.');
  if (tool === null || rule.prefix !== undefined) return found;
  const asked = { ...askedBy(rule, tool), analysis, confinement: null };
  const wider = others.find((other) => findCoverage([other], asked, now).covered);
  if (wider !== undefined) found.push(`Covered already by “${wider.command ?? wider.prefix ?? wider.tool}”.`);
  return found;
}
