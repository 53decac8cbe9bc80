import type { RuleSuggestion } from '#contract/window/rules.js';
import { makeAsker } from '../../domain/call/asker.js';
import type { Agents } from '../../domain/ports/agents.js';
import type { Redactor } from '../../domain/ports/redactor.js';
import type { ConfinementState } from '../../domain/ports/command-runner.js';
import { systemClock } from '../../platform/clock.js';
import { answerProblem, done, parseJsonText, nothing, refuse } from '../../window/border/answers.js';
import type { Handlers } from '../../window/border/border.js';
import type { Front } from '../front.js';
import type { ComposedGate } from '../gate/gate.js';
import type { Record } from '../record.js';
import type { Shell } from '../shell.js';
import { ruleBook, type RuleBook } from '../state/confirmations.js';
import type { ToolsWing } from '../tools.js';
import { wordsOf, wouldHaveCovered } from './rule-history.js';
import { ruleOfSuggestion, suggestionsFrom } from './rule-suggestions.js';
import { ruleViews } from './rule-views.js';

const ON_THE_SHEET = 5;
const ON_THE_PAGE = 50;
/** The number of last calls among which past questions are looked for. */
const LOOKED_AT = 2000;

export const openRules = (shell: Shell, front: Front): RuleBook => {
  const book = ruleBook({
    config: shell.config,
    redactor: shell.redactor,
    clock: systemClock,
    onProblem: (text) => front.problem('A rule could not be saved', text),
    onChange: () => front.publish({ type: 'settings-changed' }),
  });
  front.stream.onEvent((event) => {
    if (event.type === 'status') book.follow(event.status.gateway.clients.map(({ sessionId }) => sessionId));
  });
  return book;
};

interface RuleWings {
  readonly front: Front;
  readonly record: Record;
  readonly tools: ToolsWing;
  readonly redactor: Pick<Redactor, 'text'>;
  readonly agents: Pick<Agents, 'getStatus'>;
  readonly confinement: () => ConfinementState;
  /** The folder that the window shows. */
  readonly folder: () => string;
}

const notOffered = refuse('stale', 'This is not offered any more. Look again.');

export const ruleChannels = (gate: ComposedGate, book: RuleBook, wings: RuleWings) => {
  const { front, record, tools } = wings;
  const parts = { gate, record, tools };
  /** A name that no token stands for has no rules: what it asked is nobody’s in particular. */
  const withToken = (agent: string | null): string | null =>
    agent !== null && wings.agents.getStatus(agent) === 'known' ? agent : null;
  // The window says only which of what was offered: what it is stands here.
  let offered = { folder: '', suggestions: new Map<string, RuleSuggestion>() };
  return {
    'rules.list': async () =>
      done(
        await ruleViews(book.all(), {
          tools,
          situation: gate.situation(wings.folder()),
          confinement: wings.confinement(),
          agents: wings.agents,
          clients: front.stream.snapshot().status.gateway.clients,
          redactor: wings.redactor,
          uses: await record.reader.ruleUses(),
          now: systemClock.now(),
        }),
      ),
    'rules.remove': async ({ id }) => answerProblem(await book.remove(id)),
    'rules.undoRemove': async ({ id }) => answerProblem(await book.undo(id)),
    'rules.preview': async ({ batchId, digest, rule: wanted }) => {
      const made = gate.desk.buildWantedRule(batchId, digest, wanted);
      const situation = gate.orchestrator.situationOf(batchId);
      if (made === null || situation === null) return refuse('stale', 'This is not on the sheet any more.');
      return done(await wouldHaveCovered(parts, made.rule, situation, ON_THE_SHEET));
    },
    'rules.suggestions': async () => {
      const { workspace, sandbox } = gate.situation(wings.folder());
      const asked = (await record.reader.asked(LOOKED_AT)).map((each) => ({ ...each, agent: withToken(each.agent) }));
      const found = await suggestionsFrom(asked, {
        registry: tools.registry,
        analyzer: tools.analyzer,
        roots: sandbox.roots,
        workspace,
        rules: book.all().map(({ rule }) => rule),
        now: systemClock.now(),
      });
      offered = { folder: workspace, suggestions: new Map(found.map((each) => [each.id, each])) };
      return done(found);
    },
    'rules.previewSuggested': async ({ id, rule: wanted }) => {
      const suggestion = offered.suggestions.get(id);
      const rule = suggestion === undefined ? null : ruleOfSuggestion(suggestion, wanted);
      if (rule === null) return notOffered;
      return done(await wouldHaveCovered(parts, rule, gate.situation(offered.folder), ON_THE_PAGE));
    },
    'rules.makeSuggested': async ({ id, rule: wanted }) => {
      const suggestion = offered.suggestions.get(id);
      const rule = suggestion === undefined ? null : ruleOfSuggestion(suggestion, wanted);
      if (rule === null) return notOffered;
      const situation = gate.situation(offered.folder);
      if (wanted.where === 'here' && !situation.isOpen) return refuse('refused', 'This folder is not open any more.');
      await (
        await gate.rules.makeRule(rule, situation, wanted)
      )();
      front.publish({ type: 'settings-changed' });
      return nothing;
    },
    'rules.test': async ({ tool: name, arguments: text, agent }) => {
      const args = parseJsonText(text);
      if (!args.ok) return args.error;
      const asker = makeAsker('mcp', 'what-would-happen', { agent });
      const situation = gate.situation(wings.folder(), asker);
      const plan = await gate.planner.preview(name, args.value, asker, situation);
      const tool = tools.registry.lookup(name)?.tool ?? null;
      const words = tool === null ? undefined : wordsOf(tool, args.value as never);
      const reading =
        words === undefined || words === null ? null : await tools.analyzer.analyze(words, situation.sandbox.roots);
      const findings = (reading?.found ?? []).map((found) => ({ words: found.words, danger: found.kind !== 'notice' }));
      return done({ plan, findings });
    },
  } satisfies Partial<Handlers>;
};
