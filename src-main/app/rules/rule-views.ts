import type { ConnectedClient } from '#contract/window/app-events.js';
import type { RuleView } from '#contract/window/rules.js';
import { makeAsker } from '../../domain/call/asker.js';
import { authorize } from '../../domain/policy/authorize.js';
import { judgedTool } from '../../domain/policy/judged-tool.js';
import { describeRule, type RuleFacts } from '../../domain/policy/remembered/rule-remarks.js';
import type { LiveRule } from '../../domain/policy/remembered/standing-confirmation.js';
import type { RuleUse } from '../../domain/ports/journal.js';
import type { Agents } from '../../domain/ports/agents.js';
import type { ConfinementState } from '../../domain/ports/command-runner.js';
import type { PlanningSituation } from '../../domain/ports/gate/planner.js';
import type { Redactor } from '../../domain/ports/redactor.js';
import { NOTHING_ALLOWED } from '#contract/vocabulary/network.js';
import { getConfinement, getConfinementBySettings } from '../../domain/tool/terms.js';
import { matchesEntry } from '../../domain/tool/tool-identity.js';
import { isFolder } from '../../platform/files/is-folder.js';
import type { KeptRule } from '../state/confirmations.js';
import type { ToolsWing } from '../tools.js';

export interface ViewParts {
  readonly tools: ToolsWing;
  readonly situation: PlanningSituation;
  readonly confinement: ConfinementState;
  readonly agents: Pick<Agents, 'getStatus'>;
  readonly clients: readonly ConnectedClient[];
  readonly redactor: Pick<Redactor, 'text'>;
  readonly uses: Readonly<Record<string, RuleUse>>;
  readonly now: number;
}

export async function ruleViews(kept: readonly KeptRule[], parts: ViewParts): Promise<readonly RuleView[]> {
  const views: RuleView[] = [];
  const shown = (words: string | undefined) => (words === undefined ? null : parts.redactor.text(words).value);
  for (const { id, kept: where, rule } of kept) {
    const others = kept.filter((other) => other.id !== id).map((other) => other.rule);
    const client = parts.clients.find(({ sessionId }) => sessionId === rule.session);
    const use = Object.hasOwn(parts.uses, id) ? parts.uses[id] : undefined;
    views.push({
      id,
      kept: where,
      tool: rule.tool,
      command: shown(rule.command),
      prefix: shown(rule.prefix),
      agent: rule.agent ?? null,
      session: rule.session === undefined ? null : (client?.name ?? ''),
      workspace: rule.workspace ?? null,
      expires: rule.expires ?? null,
      confinement: rule.confinement ?? null,
      foreign: rule.foreign === true,
      readable: (rule.readable ?? []).map((place) => parts.redactor.text(place).value),
      used: use?.used ?? 0,
      lastUsed: use?.last ?? null,
      remarks: describeRule(rule, await factsOf(rule, parts), others, parts.now).map(({ never, words }) => ({
        never,
        words: parts.redactor.text(words).value,
      })),
    });
  }
  return views;
}

async function factsOf(rule: LiveRule, { tools, situation, confinement, agents }: ViewParts): Promise<RuleFacts> {
  const { config, sandbox } = situation;
  const found = tools.registry
    .listDefinitions()
    .flatMap(({ declaration }) =>
      declaration !== null && matchesEntry(rule.tool, declaration) ? [declaration.name] : [],
    )
    .map((name) => tools.registry.lookup(name))
    .find((each) => each !== null);
  const words = rule.command ?? rule.prefix;
  const there = rule.workspace === undefined ? true : await isFolder(rule.workspace);
  const facts = {
    analysis: words === undefined ? null : await tools.analyzer.analyze(words, sandbox.roots),
    folder: there ? 'there' : 'gone',
    agent: rule.agent === undefined ? 'known' : agents.getStatus(rule.agent),
  } as const;
  if (found === undefined || found === null) return { ...facts, tool: null, verdict: null, confinement: null };
  const { tool } = found;
  const { declaration } = tool;
  const inForce = getConfinement(tool.termsFor({ config, confinement, network: NOTHING_ALLOWED }));
  const seen = { seen: 'whole', name: declaration.name, tool: judgedTool(found), wish: null, unasked: null } as const;
  const noRule = { config, place: 'open', revoked: false, confirmation: null, approved: false } as const;
  // What the person decided about that agent stands above its rules.
  const asker = makeAsker('mcp', '', { agent: rule.agent ?? null });
  return {
    ...facts,
    tool: { ...declaration, isCommand: declaration.nature === 'command' },
    verdict: authorize(asker, seen, noRule),
    confinement: inForce === null ? null : { inForce, bySettings: getConfinementBySettings(config) },
  };
}
