import { posix } from 'node:path';
import type { Confinement } from '#contract/vocabulary/calls.js';
import type { Config } from '#contract/vocabulary/config.js';
import { NOTHING_ALLOWED } from '#contract/vocabulary/network.js';
import type { ValidatedCall } from '../../domain/call/call-stages.js';
import type { CommandAnalyzer } from '../../domain/ports/gate/command-analyzer.js';
import type {
  RuleStore,
  NewRule,
  PastCall,
  RuleRetention,
  RunnerScriptStore,
  SessionRule,
  RuleVerdict,
  StandingRules,
} from '../../domain/ports/gate/standing-rules.js';
import type { PlanningSituation } from '../../domain/ports/gate/planner.js';
import type { Clock } from '../../domain/ports/clock.js';
import {
  type AskedCall,
  type Coverage,
  findCoverage,
  describeRules,
  leastConfinement,
  readRuleCommands,
  type StandingConfirmation,
} from '../../domain/policy/remembered/standing-confirmation.js';
import type { Agents } from '../../domain/ports/agents.js';
import type { ConfinementState } from '../../domain/ports/command-runner.js';
import { getConfinement, getConfinementBySettings } from '../../domain/tool/terms.js';
import { matchesEntry } from '../../domain/tool/tool-identity.js';
import { resolveCdFolder, resolveInWorkspace } from './cd-folder.js';
import { ruleIdOf } from './rule-id.js';
import { readRunner } from './runner-text.js';

interface PersonsRulesDeps {
  readonly analyzer: CommandAnalyzer;
  readonly confirmations: RuleStore;
  readonly clock: Clock;
  /** The confinement that this machine offers, as last probed. */
  readonly confinement: () => ConfinementState;
  /** Resolves when the confinement has been probed. */
  readonly confinementTried: () => Promise<void>;
  readonly texts: RunnerScriptStore;
  readonly statusOf: Agents['getStatus'];
}

type ConfinementInForce = NonNullable<AskedCall['confinement']>;

const NO_RULE: RuleVerdict = { kind: 'ask', why: null, runnerChange: null };

/**
 * Judges calls by the rules that the person confirmed in advance: when a call is planned, and once more right before it
 * starts.
 */
export class PersonsRules implements StandingRules {
  readonly #parts: PersonsRulesDeps;

  constructor(parts: PersonsRulesDeps) {
    this.#parts = parts;
  }

  async judge(call: ValidatedCall, situation: PlanningSituation): Promise<RuleVerdict> {
    const { config, workspace } = situation;
    // Of two rules for the same call, the one that lets more be read counts.
    const rules = [...config.tools.approval.confirmed, ...this.#parts.confirmations.session]
      .filter(({ tool }) => matchesEntry(tool, call.tool.declaration))
      .toSorted((one, other) => (other.readable?.length ?? 0) - (one.readable?.length ?? 0));
    if (rules.length === 0) return NO_RULE;
    const analysis = call.tool.getReading?.(call.understood) ?? null;
    const held = analysis === null ? null : await this.#confinementFor(call, config);
    const { session } = call.asker;
    // A name that no token stands for is whoever took it: it has no rules.
    const agent = this.#knownAgent(call.asker.agent);
    const leadsTo = analysis === null ? null : await resolveCdFolder(analysis, situation);
    const asked = { tool: call.tool.declaration, analysis, workspace, leadsTo, agent, session, confinement: held };
    // After text that the person did not write only such count; what would cover it else is said by who asks about that.
    const afterForeign = call.judgement.taint === undefined ? rules : rules.filter(({ foreign }) => foreign === true);
    // A rule for what a runner ran before may stand beside one for what it runs now.
    let left = afterForeign;
    let instead: RuleVerdict | null = null;
    for (;;) {
      const coverage = findCoverage(left, asked, this.#parts.clock.now());
      if (!coverage.covered) {
        if (instead !== null || coverage.why !== null || afterForeign === rules)
          return instead ?? { kind: 'ask', why: coverage.why, runnerChange: null };
        const other = findCoverage(rules, asked, this.#parts.clock.now());
        const unlessRead = other.covered ? { unlessRead: `Your rule “${describeRules(other.used)}”` } : {};
        return { kind: 'ask', why: null, runnerChange: null, ...unlessRead };
      }
      const changed = await this.#findChangedRunner(coverage, situation, leadsTo ?? workspace);
      if (changed === null) {
        const { runs: text, used, words } = coverage;
        const readable = [...new Set(used.flatMap((rule) => rule.readable ?? []))];
        const what =
          text === null || held === null
            ? {}
            : {
                runs: text,
                leastConfinement: pickStrictestConfinement(used, held),
                ...(readable.length === 0 ? {} : { readable }),
              };
        const ids = used.map((rule) => recordedRuleId(rule, this.#parts.confirmations.session));
        const from = { layer: 'confirmation', id: `confirmation:${ids.join('+')}` } as const;
        const foreign = used.every((rule) => rule.foreign === true);
        return { kind: 'run', grant: { rule: words, from, ...what }, foreign };
      }
      instead ??= changed.verdict;
      left = left.filter((rule) => rule !== changed.rule);
    }
  }

  async makeRule(
    what: NewRule,
    situation: PlanningSituation,
    { where, until }: RuleRetention,
  ): Promise<() => Promise<void>> {
    const { confirmations, texts } = this.#parts;
    const place = where === 'here' ? { workspace: situation.workspace } : {};
    if (what.command === undefined && what.prefix === undefined)
      return () => confirmations.remember({ ...what, ...place }, until);
    // The window makes no rule for less than the person's own settings give; where these give less, they are what counts.
    const bySettings = getConfinementBySettings(situation.config);
    const held = bySettings === 'confined' ? { confinement: bySettings } : {};
    const { commands, folder } = readRuleCommands(what);
    const led = folder === null ? '' : await resolveInWorkspace(folder, situation);
    const found = led === null ? null : await readRunner(commands, situation.sandbox, led);
    // A digest is of one folder; a rule for every folder takes that of each when it is first used there.
    const digest = where === 'here' && found?.kind === 'read' ? { digest: found.text.digest } : {};
    const rule = { ...what, ...place, ...held, ...digest };
    return () => {
      if (found?.kind === 'read') texts.keep(rule, posix.join(situation.workspace, led ?? ''), found.text);
      return confirmations.remember(rule, until);
    };
  }

  async wouldCover(
    { session: _session, ...rule }: NewRule,
    calls: readonly PastCall[],
    situation: PlanningSituation,
  ): Promise<readonly boolean[]> {
    const { workspace, sandbox } = situation;
    const covered: boolean[] = [];
    for (const { tool, words, agent } of calls) {
      const analysis = words === null ? null : await this.#parts.analyzer.analyze(words, sandbox.roots);
      const leadsTo = analysis === null ? null : await resolveCdFolder(analysis, situation);
      const asked = { tool, analysis, workspace, leadsTo, agent, session: '', confinement: null };
      covered.push(findCoverage([rule], asked, this.#parts.clock.now()).covered);
    }
    return covered;
  }

  #knownAgent(agent: string | null): string | null {
    return agent !== null && this.#parts.statusOf(agent) === 'known' ? agent : null;
  }

  /** How the command is confined now, and how the person’s own settings alone would have it confined. */
  async #confinementFor({ tool }: ValidatedCall, config: Config): Promise<ConfinementInForce | null> {
    await this.#parts.confinementTried();
    const inForce = getConfinement(
      tool.termsFor({ config, confinement: this.#parts.confinement(), network: NOTHING_ALLOWED }),
    );
    return inForce === null ? null : { inForce, bySettings: getConfinementBySettings(config) };
  }

  /** Null where the runners still run what they ran when the rule was confirmed, or there are none. */
  async #findChangedRunner(
    { used }: Extract<Coverage, { covered: true }>,
    { sandbox, workspace }: PlanningSituation,
    folder: string,
  ): Promise<{ readonly rule: StandingConfirmation; readonly verdict: RuleVerdict } | null> {
    for (const rule of used) {
      const named = readRuleCommands(rule);
      const found = await readRunner(named.commands, sandbox, posix.relative(workspace, folder));
      if (found === null) continue;
      if (found.kind === 'unreadable') return { rule, verdict: { kind: 'ask', why: found.why, runnerChange: null } };
      const kept = this.#parts.texts.find(rule, folder);
      const confirmed = rule.digest ?? kept?.digest;
      const confirmedAs = rule.command ?? rule.prefix ?? '';
      // Who sends the command may have made that folder: only for one that the person named is the first run a yes.
      if (confirmed === undefined && folder !== workspace && named.folder === null && rule.workspace !== folder) {
        const why = `Your rule “${confirmedAs}” doesn’t cover what it runs in ${posix.relative(workspace, folder)} yet.`;
        return { rule, verdict: { kind: 'ask', why, runnerChange: null } };
      }
      if (confirmed === undefined) this.#parts.texts.keep(rule, folder, found.text);
      if (confirmed === undefined || confirmed === found.text.digest) continue;
      const { file, text } = found.text;
      return {
        rule,
        verdict: {
          kind: 'ask',
          why: `What “${confirmedAs}” runs has changed since you made the rule: ${file} is different.`,
          runnerChange: {
            file,
            before: kept?.digest === confirmed ? kept.text : null,
            after: text ?? 'Too long to be shown here.',
          },
        },
      };
    }
    return null;
  }
}

/**
 * The id by which the record names the rule: a session’s rule has its own, one of the settings is named by its content.
 */
const recordedRuleId = (rule: StandingConfirmation, session: readonly SessionRule[]): string =>
  session.find((each) => each === rule)?.id ?? ruleIdOf(rule);

/** The strictest confinement of the rules used: each part is let run by its own rule, and all of them have to hold. */
const pickStrictestConfinement = (
  used: readonly StandingConfirmation[],
  { bySettings }: ConfinementInForce,
): Confinement => {
  const levels = used.map((rule) => leastConfinement(rule, bySettings));
  return levels.includes('confined') ? 'confined' : levels.includes('network') ? 'network' : 'unconfined';
};
