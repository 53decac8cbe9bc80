import { addOpenFolderHint } from './open-folder-hint.js';
import { isDeepStrictEqual } from 'node:util';
import type { Failure } from '#contract/vocabulary/outcomes.js';
import { NOTHING_ALLOWED } from '#contract/vocabulary/network.js';
import type { PlanPreview } from '#contract/vocabulary/tools/tools.js';
import { findChangedTerms, type Judgement, undecidedFailure } from '../../domain/call/judgement.js';
import {
  getAllowedNetwork,
  withJudgement,
  toValidatedCall,
  type AuthorizedCall,
  listCapabilities,
  type DeclaredCall,
  getEarlierUnderstanding,
  type ValidatedCall,
} from '../../domain/call/call-stages.js';
import type { Asker } from '../../domain/call/asker.js';
import { isTaintWorse, type Taint } from '../../domain/policy/taint.js';
import { authorize, type Verdict } from '../../domain/policy/authorize.js';
import { mayUseFolder } from '../../domain/policy/client-rules.js';
import {
  requestedName,
  findDefinedTool,
  findJudgedTool,
  judgedTool,
  findReachableTool,
  unknownToolFailure,
} from '../../domain/policy/judged-tool.js';
import type { KnownCall, ConfirmationVerdict, RulesInForce } from '../../domain/policy/policy-rules.js';
import type { Agents } from '../../domain/ports/agents.js';
import type { GivenTextLog } from '../../domain/ports/given-text-log.js';
import type { UndoEligibility } from '../../domain/ports/workspace/transaction.js';
import type { Clock } from '../../domain/ports/clock.js';
import type { ConfinementState } from '../../domain/ports/command-runner.js';
import type { Disposition, Planner, PlanningSituation } from '../../domain/ports/gate/planner.js';
import type { DefinedTool, RegisteredTool, ToolLookup } from '../../domain/ports/gate/tool-lookup.js';
import type { RuleVerdict, StandingRules } from '../../domain/ports/gate/standing-rules.js';
import { getConfinement, withoutNetwork } from '../../domain/tool/terms.js';
import type { Redactor } from '../../domain/ports/redactor.js';
import { toVisibleLine } from '#contract/vocabulary/text/visible-text.js';
import {
  narrowPlanContext,
  type PlanContext,
  type Preflight,
  type PreflightContext,
  type Tool,
  ToolFailure,
} from '../../domain/tool/tool.js';
import { previewOf } from './preview.js';
import { type NamedTargets, judgeCallTaint } from './call-taint.js';
import { predictFailure } from './predict-failure.js';
import { JudgingSandbox } from './judging-sandbox.js';
import { type MissingAccess, CallsMissingAccess } from './calls-missing-access.js';
import { findLapsedRule, explainNewQuestion } from './lapsed-rule.js';
import { duplicateId, duplicateIds, tooManyCalls } from './limits.js';
import { badArgs, checkArguments, validateArguments } from './validate-arguments.js';
import { refuseRoute } from './refuse-route.js';
import { judgeTerms } from './terms.js';
import { judgeUnasked } from './judge-unasked.js';

interface CallPlannerDeps {
  readonly tools: ToolLookup;
  readonly redactor: Redactor;
  readonly rules: StandingRules;
  /** Whether the name of an agent is known, unknown or revoked. */
  readonly statusOf: Agents['getStatus'];
  /** The confinement that this machine offers, as last probed. */
  readonly confinement: () => ConfinementState;
  /** Resolves when the machine’s confinement has been probed: a judgement before that would rest on a guess. */
  readonly confinementTried: () => Promise<void>;
  readonly keeping: UndoEligibility;
  /** The open folders that an asker may use; left out, it is told of none. */
  readonly openTo?: (asker: Asker) => readonly string[];
  readonly texts: Pick<GivenTextLog, 'listGivenTo' | 'isTrusted'>;
  readonly clock: Clock;
}

type Settled = Extract<Disposition, { kind: 'settled' }>;
const settled = (call: DeclaredCall, failure: Failure): Settled => ({ kind: 'settled', call, failure });

/**
 * Turns each call into a disposition: run, ask, or settled already. In this order (FR-APR-05, FR-VAL-02):
 *   what holds for every call of this asker → duplicate id → too many → what its name tells → arguments (hostile, too large,
 *   schema, the tool's own parse) → paths → the whole of it → standing confirmations.
 * What may run is authorize's word alone; here it is asked as soon as it can be told.
 * It reads paths and nothing else, and never changes anything.
 */
export class CallPlanner implements Planner {
  readonly #parts: CallPlannerDeps;
  readonly #lacked: CallsMissingAccess;

  constructor(parts: CallPlannerDeps) {
    this.#parts = parts;
    this.#lacked = new CallsMissingAccess(parts.clock);
  }

  async plan(
    calls: readonly DeclaredCall[],
    situation: PlanningSituation,
    batch: { readonly joinable: boolean; readonly waiting: number; readonly knownIds: ReadonlySet<string> },
  ): Promise<readonly Disposition[]> {
    const duplicates = duplicateIds(calls, batch.knownIds);
    const limit = situation.config.tools.max_tool_calls_per_batch;
    const dispositions: Disposition[] = [];
    let waiting = batch.waiting;
    for (const [position, call] of calls.entries()) {
      const off = authorize(call.asker, { seen: 'nothing' }, this.#rulesFor(call, situation));
      const beforeAll =
        off.kind === 'deny' ? off.failure : duplicates.has(call.callId) ? duplicateId(call.requestId ?? '') : null;
      const crowded = batch.joinable ? waiting >= limit : position >= limit;
      let disposition =
        beforeAll === null && !(crowded && !batch.joinable)
          ? await this.replan(call, situation)
          : settled(call, beforeAll ?? tooManyCalls(limit));
      const waits = disposition.kind === 'ask' || disposition.kind === 'await-result';
      if (waits && crowded) disposition = settled(call, tooManyCalls(limit));
      else if (waits) waiting += 1;
      dispositions.push(disposition);
    }
    return dispositions;
  }

  async replan(call: DeclaredCall, situation: PlanningSituation): Promise<Disposition> {
    const rules = this.#rulesFor(call, situation);
    const noWay = refuseRoute(call, rules);
    if (noWay !== null) return settled(call, noWay);
    const tool = findJudgedTool(this.#parts.tools, call);
    const defined = findDefinedTool(this.#parts.tools, call.toolName, situation.config);
    const name = call.toolName;
    const absent = this.#parts.tools.explainAbsence(requestedName(call));
    const named = authorize(call.asker, { seen: 'name', name, tool, defined, absent }, rules);
    if (named.kind === 'deny') return settled(call, named.failure);
    const registered = findReachableTool(this.#parts.tools, call);
    if (named.kind === 'ask') return this.#awaitResult(call, registered, defined, situation, named);
    if (registered === null) return settled(call, absent ?? unknownToolFailure(name));
    try {
      const judged = await this.#judge(call, registered, situation, rules);
      const offline = canRunOffline(judged) ? await this.#planOffline(judged, registered, situation) : null;
      if (offline?.kind === 'run') return offline;
      return await this.#decide(judged, describeWholeCall(registered, judged.judgement), situation, rules);
    } catch (error) {
      const others = this.#parts.openTo?.(call.asker).filter((folder) => folder !== situation.workspace) ?? [];
      return settled(call, addOpenFolderHint(planningFailure(error), others));
    }
  }

  /**
   * Plans the call without network, where it needs none and would be asked about only because of text that was read.
   */
  async #planOffline(
    call: DeclaredCall,
    registered: RegisteredTool,
    situation: PlanningSituation,
  ): Promise<Disposition> {
    const without = offlineIn(situation);
    const rules = this.#rulesFor(call, without);
    const judged = await this.#judge(call, registered, without, rules);
    const offline = withJudgement(judged, { ...judged.judgement, offline: true });
    return this.#decide(offline, describeWholeCall(registered, offline.judgement), without, rules);
  }

  readonly predictFailure = predictFailure;

  #rulesFor(call: DeclaredCall, situation: PlanningSituation): RulesInForce {
    const { asker } = call;
    const { agent } = asker;
    const { config, workspace } = situation;
    const here = workspace === '' || mayUseFolder(config, asker, workspace) ? placeOf(situation) : 'closed';
    const place = here !== 'closed' && this.#worksAnywhere(call, situation) ? 'open' : here;
    const revoked = agent !== null && this.#parts.statusOf(agent) === 'revoked';
    return { config, place, revoked, confirmation: null, approved: false };
  }

  /**
   * Whether the call needs no open folder: a tool of the domain works in none, and an unknown tool name is refused the
   * same everywhere.
   */
  #worksAnywhere(call: DeclaredCall, { config }: PlanningSituation): boolean {
    const { tools } = this.#parts;
    const seen = findJudgedTool(tools, call);
    if (seen !== null) return seen.ofDomain === true;
    return tools.explainAbsence(call.toolName) === null && findDefinedTool(tools, call.toolName, config) === null;
  }

  /** The arguments' own parse, and what the call is judged on. */
  async #judge(
    call: DeclaredCall,
    registered: RegisteredTool,
    situation: PlanningSituation,
    rules: RulesInForce,
  ): Promise<ValidatedCall> {
    const { tool } = registered;
    const sound = validateArguments(call, registered, situation);
    // A source's program is held as a command is.
    const { nature } = tool.declaration;
    if (nature === 'command' || nature === 'remote') await this.#parts.confinementTried();
    const sandbox = new JudgingSandbox(situation.sandbox, tool.declaration.sideEffecting);
    const judged: PlanningSituation = { ...situation, sandbox };
    const { found, understood } = await this.#preflight(tool, sound.parsed, judged, getEarlierUnderstanding(call));
    const { mustAsk: toolsWish, secrets = [], outside = [], needs, unknownHosts } = found;
    const offered = { confinement: this.#parts.confinement(), network: NOTHING_ALLOWED };
    const unasked = await judgeUnasked({
      tool,
      found,
      sandbox,
      config: situation.config,
      offered,
      keeping: this.#parts.keeping,
    });
    const lacked = unasked?.what === 'command' ? this.#lacked.find(call.asker, tool, sound.arguments) : null;
    const judgedUnasked = lacked === null || unasked === null ? unasked : { ...unasked, against: lacked.why };
    // What a rule let run, and was hidden something, is asked about as well.
    const hidden = lacked === null || lacked.reads.length === 0 ? null : lacked;
    const wish = toolsWish ?? hidden?.why ?? (call.wanted?.mustAsk === true ? WANTS_TO_BE_ASKED : null);
    const named = secrets.length === 0 ? {} : { secrets };
    const reads = {
      ...(hidden === null ? {} : { mayRead: hidden.reads }),
      ...(found.readable === undefined || found.readable.length === 0 ? {} : { readable: found.readable }),
    };
    const led = outside.length === 0 ? {} : { outside };
    const needed = {
      ...(needs === undefined ? {} : { needs }),
      ...(unknownHosts === true ? { unknownHosts } : {}),
    };
    const taint = this.#judgeTaint(call, tool, { ...named, ...led, ...needed }, situation);
    const tainted = taint === null ? {} : { taint };
    const verdict = authorize(
      call.asker,
      describeWholeCall(registered, { wish, unasked: judgedUnasked, ...tainted }),
      rules,
    );
    const terms = judgeTerms(tool, verdict, judged, offered);
    // Of a command by itself; what does not hold it makes it worse.
    const risk = (getConfinement(terms.gets) ?? 'confined') === 'confined' ? found.risk : 'high';
    const judgement = {
      terms,
      wish,
      ...named,
      ...led,
      ...reads,
      ...needed,
      unasked: judgedUnasked,
      ...tainted,
      files: sandbox.files,
      shown: null,
    };
    const summary = this.#redactSummary(tool.summary(sound.parsed, (path) => sandbox.named(path)));
    return toValidatedCall(call, { ...sound, understood, summary, risk, judgement });
  }

  async #preflight(
    tool: Tool<unknown>,
    parsed: unknown,
    { config, sandbox }: PlanContext,
    before: unknown,
  ): Promise<{ readonly found: Preflight; readonly understood: unknown }> {
    const understood = await this.#understand(tool, parsed, { config, sandbox }, before);
    const found = await tool.preflight(parsed, this.#preflightContext(tool, { config, sandbox }), understood);
    return { found, understood };
  }

  async #understand(tool: Tool<unknown>, parsed: unknown, at: PlanContext, before: unknown): Promise<unknown> {
    return (await tool.understand?.(parsed, this.#preflightContext(tool, at), before)) ?? null;
  }

  #preflightContext({ declaration: { nature } }: Tool<unknown>, { config, sandbox }: PlanContext): PreflightContext {
    return narrowPlanContext(nature, {
      config,
      sandbox,
      findsSecrets: (content) => this.#parts.redactor.finds(content),
    });
  }

  #judgeTaint(
    call: DeclaredCall,
    tool: Tool<unknown>,
    named: NamedTargets,
    situation: PlanningSituation,
  ): Taint | null {
    return judgeCallTaint(call, tool, named, situation, this.#parts);
  }

  async findStaleJudgement(call: AuthorizedCall, now: PlanningSituation): Promise<Failure | null> {
    const { judgement, grant, asker } = call;
    const situation = judgement.offline === true ? offlineIn(now) : now;
    const { taint: _then, ...untainted } = judgement;
    const judgedNow = (): Judgement => {
      const taint = this.#judgeTaint(call, call.tool, judgement, situation);
      return taint === null ? untainted : { ...untainted, taint };
    };
    // What takes time comes first: the rest is looked at right before it counts.
    const byRule = grant.by === 'standing-confirmation';
    const ruled = byRule ? await this.#askRulesNow(withJudgement(call, judgedNow()), situation) : null;
    const lapsed = ruled === null ? await this.#recheckReading(call, situation) : findLapsedRule(ruled, call);
    const rules = this.#rulesFor(call, situation);
    const registered = findReachableTool(this.#parts.tools, call);
    if (registered === null)
      return this.#parts.tools.explainAbsence(requestedName(call)) ?? unknownToolFailure(call.toolName);
    const current = judgedNow();
    const whole = describeWholeCall(registered, current);
    const answered = {
      ...rules,
      confirmation: ruled === null ? null : ruleAnswer(ruled),
      approved: grant.by === 'person',
    };
    const verdict = authorize(asker, whole, answered);
    if (verdict.kind === 'deny') return verdict.failure;
    if (lapsed !== null) return lapsed;
    if (isTaintWorse(current.taint ?? null, judgement.taint ?? null)) return undecidedFailure(READ_MEANWHILE);
    if (verdict.kind === 'ask' && !verdict.confirmable) return undecidedFailure(explainNewQuestion(verdict));
    const offered = { confinement: this.#parts.confinement(), network: getAllowedNetwork(call) };
    const terms = judgeTerms(registered.tool, authorize(asker, whole, rules), situation, offered);
    return findChangedTerms(judgement.terms, terms, grant.by === 'person');
  }

  /** Asks the standing rules about the call as it is understood now. */
  async #askRulesNow(call: ValidatedCall, situation: PlanningSituation): Promise<RuleVerdict> {
    const understood = await this.#understand(call.tool, call.parsed, situation, call.understood);
    return this.#parts.rules.judge({ ...call, understood }, situation);
  }

  /**
   * Re-reads a command that ran unasked: it was allowed for what it was read as and for what it names, so both are
   * checked again.
   */
  async #recheckReading(call: AuthorizedCall, situation: PlanningSituation): Promise<Failure | null> {
    const { tool, judgement, grant } = call;
    if (grant.from.id !== 'settings.sandbox') return null;
    const sandbox = new JudgingSandbox(situation.sandbox, tool.declaration.sideEffecting);
    const offered = { confinement: this.#parts.confinement(), network: NOTHING_ALLOWED };
    try {
      const { found } = await this.#preflight(tool, call.parsed, { ...situation, sandbox }, call.understood);
      const { config } = situation;
      const now = await judgeUnasked({ tool, found, sandbox, config, offered, keeping: this.#parts.keeping });
      const same = isDeepStrictEqual(now, judgement.unasked) && found.mustAsk === judgement.wish;
      return same ? null : undecidedFailure('what it would do is not what it was when this was judged');
    } catch (error) {
      return planningFailure(error);
    }
  }

  rememberToAsk({ asker, tool, arguments: args }: AuthorizedCall, lacked: MissingAccess): void {
    this.#lacked.note(asker, tool, args, lacked);
  }

  forgetMissingAccess({ asker, tool, arguments: args }: AuthorizedCall): void {
    this.#lacked.forget(asker, tool, args);
  }

  async preview(toolName: string, args: unknown, asker: Asker, situation: PlanningSituation): Promise<PlanPreview> {
    const call: DeclaredCall = {
      callId: 'preview',
      batchId: 'preview',
      index: 0,
      requestId: null,
      toolName,
      asker,
      rawArguments: args as DeclaredCall['rawArguments'],
    };
    return previewOf(await this.replan(call, situation));
  }

  /** FR-MODE-02: surfaced, never run. What the person defined in their configuration counts as known. */
  #awaitResult(
    call: DeclaredCall,
    registered: RegisteredTool | null,
    defined: DefinedTool | null,
    { config }: PlanningSituation,
    { words: why, layer, id }: Verdict,
  ): Disposition {
    try {
      const args = checkArguments(
        call,
        registered?.tool.argumentsBoundedElsewhere ?? [],
        config.tools.max_tool_args_bytes,
      );
      const misfit = (registered ?? defined)?.checkInput(args) ?? null;
      if (misfit !== null) throw new ToolFailure(badArgs(misfit));
      return {
        kind: 'await-result',
        call,
        why,
        rule: { layer, id },
        summary: this.#redactSummary(
          registered === null ? call.toolName : registered.tool.summary(registered.tool.parse(args), (path) => path),
        ),
      };
    } catch (error) {
      return settled(call, planningFailure(error));
    }
  }

  /** FR-APR-01: without secrets, with hidden characters made visible, at most 200 characters. */
  #redactSummary(summary: string): string {
    return toVisibleLine(this.#parts.redactor.text(summary.slice(0, MAX_SUMMARY)).value);
  }

  async #decide(
    call: ValidatedCall,
    seen: KnownCall,
    situation: PlanningSituation,
    rules: RulesInForce,
  ): Promise<Disposition> {
    const { judgement, asker } = call;
    let verdict = authorize(asker, seen, rules);
    let ruled: RuleVerdict | null = null;
    // A yes in advance is for more than what a mode lets run, so it is looked for there as well.
    if (verdict.kind === 'ask' ? verdict.confirmable : isByMode(verdict)) {
      ruled = await this.#parts.rules.judge(call, situation);
      verdict = authorize(asker, seen, { ...rules, confirmation: ruleAnswer(ruled) });
    }
    const { words, layer, id } = verdict;
    switch (verdict.kind) {
      case 'deny':
        return settled(call, verdict.failure);
      case 'ask': {
        const runnerChange = ruled?.kind === 'ask' ? ruled.runnerChange : null;
        const asked = await this.#offerTrust(call, seen, situation, rules);
        return {
          kind: 'ask',
          call: asked,
          why: words,
          rule: { layer, id },
          runnerChange,
          confirmable: verdict.confirmable,
        };
      }
      case 'run': {
        const held = id === 'settings.sandbox' ? ({ leastConfinement: 'confined' } as const) : {};
        const by = layer === 'confirmation' ? 'standing-confirmation' : layer === 'person' ? 'person' : 'policy';
        const capabilities = listCapabilities(call);
        const what = by === 'standing-confirmation' && ruled?.kind === 'run' ? ruled.grant : held;
        return { kind: 'run', call, grant: { ...what, by, rule: words, from: { layer, id }, capabilities, judgement } };
      }
    }
  }

  /** Whether it would run if the person trusted the text of this folder: only then are they asked whether they do. */
  async #offerTrust(
    call: ValidatedCall,
    seen: KnownCall,
    situation: PlanningSituation,
    rules: RulesInForce,
  ): Promise<ValidatedCall> {
    const { taint, ...untainted } = call.judgement;
    if (taint?.onlyFolder !== true || seen.seen !== 'whole') return call;
    const { taint: _against, ...trusted } = seen;
    let verdict = authorize(call.asker, trusted, rules);
    if (verdict.kind === 'ask' && verdict.confirmable) {
      const ruled = await this.#parts.rules.judge(withJudgement(call, untainted), situation);
      verdict = authorize(call.asker, trusted, { ...rules, confirmation: ruleAnswer(ruled) });
    }
    return withJudgement(call, { ...untainted, taint: { ...taint, trustWouldDo: verdict.kind === 'run' } });
  }
}

const offlineIn = (situation: PlanningSituation): PlanningSituation => ({
  ...situation,
  config: withoutNetwork(situation.config),
});

/**
 * Whether the call can run offline: its only way out is the network of the settings, and nothing says that it needs
 * one.
 */
function canRunOffline({ judgement }: ValidatedCall): boolean {
  const { taint, needs, unknownHosts, terms } = judgement;
  const { nature, process, network } = terms.gets;
  return (
    taint !== undefined &&
    nature === 'command' &&
    process?.held === 'confined' &&
    network.by === 'settings' &&
    unknownHosts !== true &&
    (needs?.hosts ?? []).length === 0
  );
}

function placeOf({ workspace, isOpen, sandbox }: PlanningSituation): RulesInForce['place'] {
  if (workspace === '') return 'no-workspace';
  if (!isOpen) return 'closed';
  return sandbox.roots.length === 0 ? 'no-roots' : 'open';
}

type AskReasons = Pick<Judgement, 'wish' | 'unasked' | 'taint'>;

const describeWholeCall = (registered: RegisteredTool, { wish, unasked, taint }: AskReasons): KnownCall => {
  const tool = judgedTool(registered);
  return { seen: 'whole', name: tool.name, tool, wish, unasked, ...(taint === undefined ? {} : { taint }) };
};

const WANTS_TO_BE_ASKED = 'The program that asks for it wants you to decide.';

const READ_MEANWHILE = 'text that the user did not write was read after it was judged, and it could take data out';

const isByMode = ({ id }: Verdict): boolean => id === 'settings.sandbox' || id === 'settings.collect';

const ruleAnswer = (ruled: RuleVerdict): ConfirmationVerdict =>
  ruled.kind === 'run'
    ? { kind: 'run', id: ruled.grant.from.id, words: ruled.grant.rule, foreign: ruled.foreign }
    : { kind: 'ask', words: ruled.why, unlessRead: ruled.unlessRead };

/** A summary may hold a whole command; of what is looked at only the beginning is shown. */
const MAX_SUMMARY = 8192;

/** A tool that can't even be planned is an error for its caller, and never a prompt. */
function planningFailure(error: unknown): Failure {
  if (error instanceof ToolFailure) return error.failure;
  return { code: 'BadArgs', message: 'The tool could not make sense of these arguments.' };
}
