import { posix } from 'node:path';
import type { RuleWanted } from '#contract/vocabulary/decisions.js';
import type { RuleSuggestion } from '#contract/window/rules.js';
import { offerRule } from '../../domain/policy/remembered/rule-offer.js';
import { findCoverage, type LiveRule } from '../../domain/policy/remembered/standing-confirmation.js';
import { findLeadingCd } from '../../domain/policy/remembered/transparent-words.js';
import type { EarlierQuestion } from '../../domain/ports/journal.js';
import type { CommandAnalyzer } from '../../domain/ports/gate/command-analyzer.js';
import type { NewRule } from '../../domain/ports/gate/standing-rules.js';
import type { ToolLookup } from '../../domain/ports/gate/tool-lookup.js';
import { digestJson } from '../../platform/digest.js';
import { wordsOf } from './rule-history.js';

/** Asked so often for the same, a person may want to be asked no more. */
const OFTEN = 3;
const MAX_SUGGESTIONS = 8;
const MAX_COMMANDS = 10;
const MAX_READ = 300;

interface SuggestionContext {
  readonly registry: ToolLookup;
  readonly analyzer: CommandAnalyzer;
  readonly roots: readonly string[];
  readonly workspace: string;
  /** The rules in force: what they answer is not suggested again. */
  readonly rules: readonly LiveRule[];
  readonly now: number;
}

/**
 * The policies whose question a rule can answer in advance: what the tool itself wants asked (control files, secrets),
 * none can.
 */
const ANSWERABLE: ReadonlySet<string | null> = new Set([
  'tool.approval',
  'settings.side-effects',
  'settings.sandbox',
  'settings.collect',
]);

type Group = Omit<RuleSuggestion, 'id' | 'asked' | 'commands'> & {
  readonly counts: Map<string, number>;
  denied: boolean;
};

/**
 * Suggests rules for what was asked again and again and one rule could answer; nothing that no rule may answer, and
 * nothing denied.
 */
export async function suggestionsFrom(
  asked: readonly EarlierQuestion[],
  looking: SuggestionContext,
): Promise<readonly RuleSuggestion[]> {
  const groups = new Map<string, Group>();
  const read = new Map<string, Awaited<ReturnType<CommandAnalyzer['analyze']>>>();
  for (const { tool: name, toolId, arguments: args, agent, rule, denied } of asked) {
    const tool = looking.registry.lookup(name)?.tool;
    if (tool === undefined || tool.declaration.id !== toolId || !ANSWERABLE.has(rule)) continue;
    const words = wordsOf(tool, args);
    if (words === undefined || (words !== null && !read.has(words) && read.size >= MAX_READ)) continue;
    const reading = words === null ? null : (read.get(words) ?? (await looking.analyzer.analyze(words, looking.roots)));
    if (words !== null && reading !== null) read.set(words, reading);
    const offer = reading === null ? null : offerRule(reading);
    if (offer !== null && offer.impossible !== null) continue;
    const { workspace } = looking;
    const folder = findLeadingCd(reading?.read ?? []);
    // As it is written: here it is only about what to suggest.
    const leadsTo = folder === null ? null : posix.resolve(workspace, folder);
    const call = { tool: tool.declaration, analysis: reading, workspace, leadsTo, agent, session: '' };
    if (findCoverage(looking.rules, { ...call, confinement: null }, looking.now).covered) continue;
    const prefix = offer?.prefix ?? null;
    const key = JSON.stringify([name, agent, prefix ?? words]);
    const group = groups.get(key) ?? {
      tool: name,
      agent,
      rule: { impossible: null, command: words, prefix, runs: offer?.runs ?? null, readable: [], afterText: null },
      counts: new Map<string, number>(),
      denied: false,
    };
    group.denied ||= denied;
    group.counts.set(words ?? name, (group.counts.get(words ?? name) ?? 0) + 1);
    groups.set(key, group);
  }
  return [...groups.values()]
    .filter(({ denied }) => !denied)
    .map(suggestionOf)
    .filter((each) => each.asked >= OFTEN)
    .sort((one, other) => other.asked - one.asked)
    .slice(0, MAX_SUGGESTIONS);
}

function suggestionOf({ tool, agent, rule, counts }: Group): RuleSuggestion {
  const commands = [...counts].sort(([, one], [, other]) => other - one).map(([words]) => words);
  const asked = [...counts.values()].reduce((sum, count) => sum + count, 0);
  const command = rule.command === null ? null : (commands[0] ?? null);
  return {
    id: digestJson([tool, agent, rule.prefix ?? command]),
    tool,
    agent,
    asked,
    commands: rule.command === null ? [] : commands.slice(0, MAX_COMMANDS),
    rule: { ...rule, command },
  };
}

/**
 * Builds the rule as the person wants it; null where that was not offered: a session of an earlier run has nobody left
 * to hold it for.
 */
export function ruleOfSuggestion({ tool, agent, rule }: RuleSuggestion, { what, who }: RuleWanted): NewRule | null {
  if (who === 'asker' && agent === null) return null;
  if (what === 'first-words' && rule.prefix === null) return null;
  const words =
    rule.command === null ? {} : what === 'first-words' ? { prefix: rule.prefix ?? '' } : { command: rule.command };
  return { tool, ...words, ...(who === 'asker' && agent !== null ? { agent } : {}) };
}
