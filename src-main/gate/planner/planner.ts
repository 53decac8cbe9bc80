import { isJsonObject, type JsonObject } from '#contract/vocabulary/json.js';
import type { Failure } from '#contract/vocabulary/outcomes.js';
import type { PlanPreview } from '#contract/vocabulary/tools.js';
import { changedTerms, undecided } from '../../domain/call/judgement.js';
import {
  asValidated,
  type AuthorizedCall,
  capabilitiesOf,
  type DeclaredCall,
  mayUseNetwork,
  type ValidatedCall,
  type ValidationFacts,
} from '../../domain/call/call-stages.js';
import type { Asker } from '../../domain/call/asker.js';
import { authorize, type Verdict } from '../../domain/policy/authorize.js';
import { definedTool, namedBy, seenOf, toolOfCall, unknownTool } from '../../domain/policy/door-tools.js';
import type { CallSeen, ConfirmationSaid, RulesInForce } from '../../domain/policy/speakers.js';
import type { ConfinementState } from '../../domain/ports/command-runner.js';
import type { Disposition, Planner, PlanningSituation } from '../../domain/ports/gate/planner.js';
import type { DefinedTool, RegisteredTool, ToolLookup } from '../../domain/ports/gate/tool-lookup.js';
import type { RuleVerdict, StandingRules } from '../../domain/ports/gate/standing-rules.js';
import { timeLimitMs } from '../../domain/tool/bounds.js';
import { findHostility } from '../../domain/call/hostile-json.js';
import type { Redactor } from '../../domain/ports/redactor.js';
import { visibleLine } from '#contract/vocabulary/visible-text.js';
import { ToolFailure } from '../../domain/tool/tool.js';
import { JudgingSandbox } from './judging-sandbox.js';
import { duplicateId, duplicateIds, tooLargeArguments, tooManyCalls } from './limits.js';
import { termsOf } from './terms.js';

interface Parts {
  readonly tools: ToolLookup;
  readonly redactor: Redactor;
  readonly rules: StandingRules;
  /** Whose token the person revoked. */
  readonly isRevoked: (agent: string) => boolean;
  /** What this machine offers, as it was last found out. */
  readonly confinement: () => ConfinementState;
  /** Resolves when it was tried what this machine offers: a judgement before that would be of a guess. */
  readonly confinementTried: Promise<void>;
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
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
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
      const off = authorize(call.asker, { seen: 'nothing' }, this.#rulesFor(call.asker, situation));
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
    const rules = this.#rulesFor(call.asker, situation);
    const found = namedBy(this.#parts.tools, call);
    const name = call.toolName;
    const tool = found === null ? null : seenOf(found);
    const defined = definedTool(this.#parts.tools, name, situation.config);
    const named = authorize(call.asker, { seen: 'name', name, tool, defined }, rules);
    if (named.kind === 'deny') return settled(call, named.failure);
    const registered = toolOfCall(this.#parts.tools, call);
    if (named.kind === 'ask') return this.#awaitResult(call, registered, defined, situation, named);
    if (registered === null) return settled(call, unknownTool(call.toolName));
    try {
      const judged = await this.#judge(call, registered, situation, rules);
      return await this.#decide(judged, wholly(registered, judged.judgement.wish), situation, rules);
    } catch (error) {
      return settled(call, failureOf(error));
    }
  }

  #rulesFor({ agent }: Asker, { config, workspace, sandbox }: PlanningSituation): RulesInForce {
    const place = workspace === '' ? 'no-workspace' : sandbox.roots.length === 0 ? 'no-roots' : 'open';
    const revoked = agent !== null && this.#parts.isRevoked(agent);
    return { config, place, revoked, confirmation: null, approved: false };
  }

  /** The arguments' own parse, and what the call is judged on. */
  async #judge(
    call: DeclaredCall,
    registered: RegisteredTool,
    situation: PlanningSituation,
    rules: RulesInForce,
  ): Promise<ValidatedCall> {
    const { tool } = registered;
    const sound = validate(call, registered, situation, (summary) => this.#shown(summary));
    if (tool.declaration.nature === 'command') await this.#parts.confinementTried;
    const sandbox = new JudgingSandbox(situation.sandbox, tool.declaration.sideEffecting);
    const judged: PlanningSituation = { ...situation, sandbox };
    const { risk, mustAsk: wish } = await tool.preflight(sound.parsed, judged);
    const verdict = authorize(call.asker, wholly(registered, wish), rules);
    const terms = termsOf(tool, verdict, judged, { confinement: this.#parts.confinement(), network: false });
    const judgement = { terms, wish, files: sandbox.files, shown: null };
    return asValidated(call, { ...sound, risk, judgement });
  }

  async noLongerSo(call: AuthorizedCall, situation: PlanningSituation): Promise<Failure | null> {
    const { judgement, grant, asker } = call;
    // What takes time comes first: the rest is looked at right before it counts.
    const ruled = grant.by === 'standing-confirmation' ? await this.#parts.rules.verdictOn(call, situation) : null;
    const lapsed = ruled === null ? null : lapsedRule(ruled, call);
    const rules = this.#rulesFor(asker, situation);
    const registered = toolOfCall(this.#parts.tools, call);
    if (registered === null) return unknownTool(call.toolName);
    const whole = wholly(registered, judgement.wish);
    const answered = { ...rules, confirmation: ruled === null ? null : saidBy(ruled), approved: grant.by === 'person' };
    const verdict = authorize(asker, whole, answered);
    if (verdict.kind === 'deny') return verdict.failure;
    if (lapsed !== null) return lapsed;
    if (verdict.kind === 'ask' && !verdict.confirmable) return undecided(whyAsksNow(verdict));
    const offered = { confinement: this.#parts.confinement(), network: mayUseNetwork(call) };
    const now = termsOf(registered.tool, authorize(asker, whole, rules), situation, offered);
    return changedTerms(judgement.terms, now, grant.by === 'person');
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
    const disposition = await this.replan(call, situation);
    switch (disposition.kind) {
      case 'run':
        return {
          disposition: 'run',
          why: disposition.grant.rule,
          summary: disposition.call.summary,
          risk: disposition.call.risk,
          code: null,
        };
      case 'ask':
        return {
          disposition: 'ask',
          why: disposition.why,
          summary: disposition.call.summary,
          risk: disposition.call.risk,
          code: null,
        };
      case 'await-result':
        return {
          disposition: 'ask',
          why: disposition.why,
          summary: disposition.summary,
          risk: null,
          code: null,
        };
      case 'settled':
        return {
          disposition: 'settled',
          why: disposition.failure.message,
          summary: null,
          risk: null,
          code: disposition.failure.code,
        };
    }
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
      const args = soundArguments(
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
        summary: this.#shown(
          registered === null ? call.toolName : registered.tool.summary(registered.tool.parse(args)),
        ),
      };
    } catch (error) {
      return settled(call, failureOf(error));
    }
  }

  /** FR-APR-01: without secrets, with hidden characters made visible, at most 200 characters. */
  #shown(summary: string): string {
    return visibleLine(this.#parts.redactor.text(summary.slice(0, LONGEST_SUMMARY)).value);
  }

  async #decide(
    call: ValidatedCall,
    seen: CallSeen,
    situation: PlanningSituation,
    rules: RulesInForce,
  ): Promise<Disposition> {
    const { judgement, asker } = call;
    let verdict = authorize(asker, seen, rules);
    let ruled: RuleVerdict | null = null;
    if (verdict.kind === 'ask' && verdict.confirmable) {
      ruled = await this.#parts.rules.verdictOn(call, situation);
      verdict = authorize(asker, seen, { ...rules, confirmation: saidBy(ruled) });
    }
    const { words, layer, id } = verdict;
    switch (verdict.kind) {
      case 'deny':
        return settled(call, verdict.failure);
      case 'ask': {
        const runnerChange = ruled?.kind === 'ask' ? ruled.runnerChange : null;
        return { kind: 'ask', call, why: words, rule: { layer, id }, runnerChange };
      }
      case 'run': {
        const by = layer === 'confirmation' ? 'standing-confirmation' : layer === 'person' ? 'person' : 'policy';
        const capabilities = capabilitiesOf(call);
        const what = by === 'standing-confirmation' && ruled?.kind === 'run' ? ruled.grant : {};
        return { kind: 'run', call, grant: { ...what, by, rule: words, from: { layer, id }, capabilities, judgement } };
      }
    }
  }
}

const wholly = (registered: RegisteredTool, wish: string | null): CallSeen => {
  const tool = seenOf(registered);
  return { seen: 'whole', name: tool.name, tool, wish };
};

const saidBy = (ruled: RuleVerdict): ConfirmationSaid =>
  ruled.kind === 'run'
    ? { kind: 'run', id: ruled.grant.from.id, words: ruled.grant.rule }
    : { kind: 'ask', words: ruled.why };

/** A rule let it run when it was planned. What that was judged on may be otherwise now: then it is judged again. */
function lapsedRule(now: RuleVerdict, { grant }: AuthorizedCall): Failure | null {
  if (now.kind === 'ask') return ruleLapsed(now.why);
  const { rule, runs, leastConfinement } = grant;
  const same = now.grant.rule === rule && now.grant.runs === runs && now.grant.leastConfinement === leastConfinement;
  return same ? null : ruleLapsed(null);
}

function whyAsksNow(verdict: Extract<Verdict, { kind: 'ask' }>): string {
  if (verdict.for === 'result') return 'tools only wait for results now';
  return verdict.id === 'agent.ask' ? 'you want to be asked about it now' : 'the rule that let it run no longer does';
}

const ruleLapsed = (why: string | null): Failure => ({
  code: 'NoDecision',
  message:
    `This did not run: the rule that let it run does not hold any more.${why === null ? '' : ` ${why}`} ` +
    'Ask again, and it is decided anew.',
});

function validate(
  call: DeclaredCall,
  { tool, checkInput }: RegisteredTool,
  { config }: PlanningSituation,
  shown: (summary: string) => string,
): Omit<ValidationFacts, 'judgement'> {
  const args = soundArguments(call, tool.argumentsBoundedElsewhere, config.tools.max_tool_args_bytes);
  const misfit = checkInput(args);
  if (misfit !== null) throw new ToolFailure(badArgs(misfit));
  const parsed = tool.parse(args);
  return {
    tool,
    arguments: args,
    parsed,
    summary: shown(tool.summary(parsed)),
    risk: tool.declaration.risk,
    timeoutMs: timeLimitMs(tool, config),
  };
}

/** A summary may hold a whole command; of what is looked at only the beginning is shown. */
const LONGEST_SUMMARY = 8192;

/** What is wrong may quote what came. */
const LONGEST_MISFIT = 4000;
const badArgs = (misfit: string): Failure => ({
  code: 'BadArgs',
  message: misfit.length > LONGEST_MISFIT ? `${misfit.slice(0, LONGEST_MISFIT)}…` : misfit,
});

function soundArguments(call: DeclaredCall, boundedElsewhere: readonly string[], limit: number): JsonObject {
  const hostile = findHostility(call.rawArguments);
  if (hostile !== null) throw new ToolFailure({ code: 'BadArgs', message: hostile });
  if (!isJsonObject(call.rawArguments))
    throw new ToolFailure({ code: 'BadArgs', message: 'The arguments must be a JSON object.' });
  const tooLarge = tooLargeArguments(call.rawArguments, boundedElsewhere, limit);
  if (tooLarge !== null) throw new ToolFailure(tooLarge);
  return call.rawArguments;
}

/** A tool that can't even be planned is an error for its caller, and never a prompt. */
function failureOf(error: unknown): Failure {
  if (error instanceof ToolFailure) return error.failure;
  return { code: 'BadArgs', message: 'The tool could not make sense of these arguments.' };
}
