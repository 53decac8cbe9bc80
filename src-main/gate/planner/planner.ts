import { isJsonObject, type JsonObject } from '#contract/vocabulary/json.js';
import type { Failure } from '#contract/vocabulary/outcomes.js';
import type { PlanPreview } from '#contract/vocabulary/tools.js';
import { changedTerms } from '../../domain/call/judgement.js';
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
import { isBeyondReach, toolFor } from '../../domain/policy/door-tools.js';
import type { Config } from '#contract/vocabulary/config.js';
import type { ConfinementState } from '../../domain/ports/command-runner.js';
import type { Disposition, Planner, PlanningSituation } from '../../domain/ports/planner.js';
import type { RegisteredTool, ToolLookup } from '../../domain/ports/tool-lookup.js';
import type { StandingRules } from '../../domain/ports/standing-rules.js';
import { timeLimitMs } from '../../domain/tool/bounds.js';
import { findHostility } from '../../domain/call/hostile-json.js';
import { decide, deniedOutright } from '../../domain/policy/decide.js';
import type { Redactor } from '../../domain/ports/redactor.js';
import { visibleLine } from '#contract/vocabulary/visible-text.js';
import { ToolFailure } from '../../domain/tool/tool.js';
import { JudgingSandbox } from './judging-sandbox.js';
import { duplicateId, duplicateIds, tooLargeArguments, tooManyCalls } from './limits.js';
import { termsOf, turnedOff } from './terms.js';

interface Parts {
  readonly tools: ToolLookup;
  readonly redactor: Redactor;
  readonly rules: StandingRules;
  /** What this machine offers, as it was last found out. */
  readonly confinement: () => ConfinementState;
  /** Resolves when it was tried what this machine offers: a judgement before that would be of a guess. */
  readonly confinementTried: Promise<void>;
}

type Settled = Extract<Disposition, { kind: 'settled' }>;
const settled = (call: DeclaredCall, failure: Failure): Settled => ({ kind: 'settled', call, failure });

/**
 * Turns each call into a disposition: run, ask, or settled already. In this order (FR-APR-05, FR-VAL-02):
 *   mode and policy off → duplicate id → too many → outside the door's set → denylist → unknown tool → arguments (hostile, too large, schema,
 *   the tool's own parse) → paths → policy and the tool's own wish → standing confirmations.
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
      const off = turnedOff(situation.config);
      const beforeAll = off ?? (duplicates.has(call.callId) ? duplicateId(call.requestId ?? '') : null);
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
    const denied =
      turnedOff(situation.config) ??
      this.#beyondReach(call, situation) ??
      deniedOutright(situation.config.tools.approval, call.toolName);
    if (denied !== null) return settled(call, denied);
    const registered = toolFor(this.#parts.tools, call.toolName, call.asker);
    if (situation.config.tools.mode === 'parse_only') return this.#awaitResult(call, registered, situation);
    if (registered === null) return settled(call, unknownTool(call.toolName));
    try {
      return await this.#decide(await this.#judge(call, registered, situation), situation);
    } catch (error) {
      return settled(call, failureOf(error));
    }
  }

  /** The arguments' own parse, and what the call is judged on. */
  async #judge(call: DeclaredCall, registered: RegisteredTool, situation: PlanningSituation): Promise<ValidatedCall> {
    const { tool } = registered;
    const sound = validate(call, registered, situation, (summary) => this.#shown(summary));
    if (tool.declaration.nature === 'command') await this.#parts.confinementTried;
    const sandbox = new JudgingSandbox(situation.sandbox, tool.declaration.sideEffecting);
    const judged: PlanningSituation = { ...situation, sandbox };
    const { risk, mustAsk: wish } = await tool.preflight(sound.parsed, judged);
    const terms = termsOf(tool, wish, judged, { confinement: this.#parts.confinement(), network: false });
    const judgement = { terms, wish, files: sandbox.files, shown: null };
    return asValidated(call, { ...sound, risk, judgement });
  }

  async noLongerSo(call: AuthorizedCall, situation: PlanningSituation): Promise<Failure | null> {
    const { judgement, grant } = call;
    // What takes time comes first: the rest is looked at right before it counts.
    const lapsed = grant.by === 'standing-confirmation' ? await this.#lapsedRule(call, situation) : null;
    if (lapsed !== null) return lapsed;
    const registered = toolFor(this.#parts.tools, call.toolName, call.asker);
    if (registered === null) return unknownTool(call.toolName);
    const offered = { confinement: this.#parts.confinement(), network: mayUseNetwork(call) };
    const now = termsOf(registered.tool, judgement.wish, situation, offered);
    return changedTerms(judgement.terms, now, grant.by === 'person');
  }

  /** A rule let it run when it was planned. What that was judged on may be otherwise now: then it is judged again. */
  async #lapsedRule(call: AuthorizedCall, situation: PlanningSituation): Promise<Failure | null> {
    const now = await this.#parts.rules.verdictOn(call, situation);
    if (now.kind === 'ask') return ruleLapsed(now.why);
    const { rule, runs, leastConfinement } = call.grant;
    const same = now.grant.rule === rule && now.grant.runs === runs && now.grant.leastConfinement === leastConfinement;
    return same ? null : ruleLapsed(null);
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
          why: 'Tools only wait for results here (tools.mode = "parse_only").',
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

  /** Before the denylist: a list that names a tool must not tell an asker that there is one. */
  #beyondReach({ toolName, asker }: DeclaredCall, { config }: PlanningSituation): Failure | null {
    const defined = config.tools.mode === 'parse_only' && isDefined(config, toolName);
    return !defined && isBeyondReach(this.#parts.tools, toolName, asker) ? unknownTool(toolName) : null;
  }

  /** FR-MODE-02: surfaced, never run. What the person defined in their configuration counts as known. */
  #awaitResult(call: DeclaredCall, registered: RegisteredTool | null, { config }: PlanningSituation): Disposition {
    if (registered === null && !isDefined(config, call.toolName)) return settled(call, unknownTool(call.toolName));
    try {
      const args = soundArguments(
        call,
        registered?.tool.argumentsBoundedElsewhere ?? [],
        config.tools.max_tool_args_bytes,
      );
      const misfit = registered?.checkInput(args) ?? null;
      if (misfit !== null) throw new ToolFailure(badArgs(misfit));
      return {
        kind: 'await-result',
        call,
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

  async #decide(call: ValidatedCall, situation: PlanningSituation): Promise<Disposition> {
    const { declaration } = call.tool;
    const { judgement } = call;
    const capabilities = capabilitiesOf(call);
    const verdict = decide(situation.config.tools.approval, declaration, judgement.wish);
    switch (verdict.kind) {
      case 'deny':
        return settled(call, verdict.failure);
      case 'run':
        return { kind: 'run', call, grant: { by: 'policy', rule: verdict.rule, capabilities, judgement } };
      case 'ask': {
        // A control file makes other programs run something: no yes in advance reaches that far.
        const ruled = judgement.wish === null ? await this.#parts.rules.verdictOn(call, situation) : null;
        if (ruled?.kind !== 'run')
          return { kind: 'ask', call, why: ruled?.why ?? verdict.why, runnerChange: ruled?.runnerChange ?? null };
        return {
          kind: 'run',
          call,
          grant: { by: 'standing-confirmation', ...ruled.grant, capabilities, judgement },
        };
      }
    }
  }
}

const isDefined = (config: Config, toolName: string): boolean =>
  config.tools.definitions.some(({ name }) => name === toolName);

const ruleLapsed = (why: string | null): Failure => ({
  code: 'NoDecision',
  message:
    `This did not run: the rule that let it run does not hold any more.${why === null ? '' : ` ${why}`} ` +
    'Ask again, and it is decided anew.',
});

const unknownTool = (name: string): Failure => ({
  code: 'UnknownTool',
  message: `There is no tool “${visibleLine(name, 100)}”.`,
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
