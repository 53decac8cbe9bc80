import type { RememberScope } from '#contract/vocabulary/decisions.js';
import type { Confinement } from '#contract/vocabulary/calls.js';
import type { Config } from '#contract/vocabulary/config.js';
import type { ValidatedCall } from '../../domain/call/call-stages.js';
import type { CommandAnalyzer } from '../../domain/ports/gate/command-analyzer.js';
import type {
  ConfirmationBook,
  NewRule,
  RunnerTexts,
  RuleVerdict,
  StandingRules,
} from '../../domain/ports/gate/standing-rules.js';
import type { PlanningSituation } from '../../domain/ports/gate/planner.js';
import type { Clock } from '../../domain/ports/clock.js';
import {
  type AskedCall,
  commandsOf,
  type Coverage,
  coverageOf,
  leastConfinement,
  type StandingConfirmation,
} from '../../domain/policy/standing-confirmation.js';
import type { ConfinementState } from '../../domain/ports/command-runner.js';
import { heldBy, heldBySettings } from '../../domain/tool/terms.js';
import { means } from '../../domain/tool/tool-identity.js';
import { readRunner } from './runner-text.js';

interface Parts {
  readonly analyzer: CommandAnalyzer;
  readonly confirmations: ConfirmationBook;
  readonly clock: Clock;
  /** What this machine offers, as it was last found out. */
  readonly confinement: () => ConfinementState;
  /** Resolves when that was tried. */
  readonly confinementTried: Promise<void>;
  readonly texts: RunnerTexts;
}

type Held = NonNullable<AskedCall['confinement']>;

const NO_RULE: RuleVerdict = { kind: 'ask', why: null, runnerChange: null };

/** What the person’s yeses in advance say of a call: looked at when it is planned, and once more right before it starts. */
export class PersonsRules implements StandingRules {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  async verdictOn(call: ValidatedCall, situation: PlanningSituation): Promise<RuleVerdict> {
    const { config, workspace, sandbox } = situation;
    const rules = [...config.tools.approval.confirmed, ...this.#parts.confirmations.session].filter(({ tool }) =>
      means(tool, call.tool.declaration),
    );
    if (rules.length === 0) return NO_RULE;
    const key = call.tool.standingKey(call.parsed);
    const analysis = key.of === 'tool' ? null : await this.#parts.analyzer.analyze(key.words, sandbox.roots);
    const held = key.of === 'tool' ? null : await this.#held(call, config);
    const asked = { tool: call.tool.declaration, analysis, workspace, agent: call.asker.agent, confinement: held };
    // A rule for what a runner ran before may stand beside one for what it runs now.
    let left = rules;
    let instead: RuleVerdict | null = null;
    for (;;) {
      const coverage = coverageOf(left, asked, this.#parts.clock.now());
      if (!coverage.covered) return instead ?? { kind: 'ask', why: coverage.why, runnerChange: null };
      const changed = await this.#changedRunner(coverage, situation);
      if (changed === null) {
        const { runs: text, used, words } = coverage;
        const what = text === null || held === null ? {} : { runs: text, leastConfinement: closest(used, held) };
        const places = used.map((rule) =>
          placeOf(rule, config.tools.approval.confirmed, this.#parts.confirmations.session),
        );
        const from = { layer: 'confirmation', id: `confirmation:${places.join('+')}` } as const;
        return { kind: 'run', grant: { rule: words, from, ...what } };
      }
      instead ??= changed.verdict;
      left = left.filter((rule) => rule !== changed.rule);
    }
  }

  async remember(what: NewRule, situation: PlanningSituation, scope: RememberScope): Promise<void> {
    const where = scope === 'workspace' ? { workspace: situation.workspace } : {};
    if (what.command === undefined && what.prefix === undefined) {
      await this.#parts.confirmations.remember({ ...what, ...where }, scope);
      return;
    }
    // The window makes no rule for less than the person's own settings give; where these give less, they are what counts.
    const bySettings = heldBySettings(situation.config);
    const held = bySettings === 'confined' ? { confinement: bySettings } : {};
    const found = await readRunner(commandsOf(what), situation.sandbox);
    // A digest is of one folder; a rule for every folder takes that of each when it is first used there.
    const digest = scope === 'workspace' && found?.kind === 'read' ? { digest: found.text.digest } : {};
    const rule = { ...what, ...where, ...held, ...digest };
    if (found?.kind === 'read') this.#parts.texts.keep(rule, situation.workspace, found.text);
    await this.#parts.confirmations.remember(rule, scope);
  }

  /** How what it runs is held now, and how the person’s own settings alone would have it held. */
  async #held({ tool }: ValidatedCall, config: Config): Promise<Held | null> {
    await this.#parts.confinementTried;
    const inForce = heldBy(tool.termsFor({ config, confinement: this.#parts.confinement(), network: false }));
    return inForce === null ? null : { inForce, bySettings: heldBySettings(config) };
  }

  /** Null where what the runners run is what they ran, or there is none. */
  async #changedRunner(
    { used }: Extract<Coverage, { covered: true }>,
    { sandbox, workspace }: PlanningSituation,
  ): Promise<{ readonly rule: StandingConfirmation; readonly verdict: RuleVerdict } | null> {
    for (const rule of used) {
      const found = await readRunner(commandsOf(rule), sandbox);
      if (found === null) continue;
      if (found.kind === 'unreadable') return { rule, verdict: { kind: 'ask', why: found.why, runnerChange: null } };
      const kept = this.#parts.texts.find(rule, workspace);
      const confirmed = rule.digest ?? kept?.digest;
      if (confirmed === undefined) this.#parts.texts.keep(rule, workspace, found.text);
      if (confirmed === undefined || confirmed === found.text.digest) continue;
      const { file, text } = found.text;
      const confirmedAs = rule.command ?? rule.prefix ?? '';
      return {
        rule,
        verdict: {
          kind: 'ask',
          why: `What it runs is not what it ran when you confirmed “${confirmedAs}” in advance: ${file} has changed.`,
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

/** Where it stands in the person's list, counted from 1, or among those of this session. */
function placeOf(
  rule: StandingConfirmation,
  configured: readonly StandingConfirmation[],
  session: readonly StandingConfirmation[],
): string {
  const at = configured.indexOf(rule);
  return at === -1 ? `session-${session.indexOf(rule) + 1}` : String(at + 1);
}

/** Each part is let run by its own rule; all of them have to hold. */
const closest = (used: readonly StandingConfirmation[], { bySettings }: Held): Confinement => {
  const levels = used.map((rule) => leastConfinement(rule, bySettings));
  return levels.includes('confined') ? 'confined' : levels.includes('network') ? 'network' : 'unconfined';
};
