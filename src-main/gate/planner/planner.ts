import type { Failure } from '#contract/vocabulary/outcomes.js';
import type { PlanPreview } from '#contract/vocabulary/tools/tools.js';
import {
  type AuthorizedCall,
  type DeclaredCall,
  listCapabilities,
  type ValidatedCall,
  withJudgement,
} from '../../domain/call/call-stages.js';
import type { Asker } from '../../domain/call/asker.js';
import { authorize, type Verdict } from '../../domain/policy/authorize.js';
import {
  findDefinedTool,
  findJudgedTool,
  findReachableTool,
  requestedName,
  unknownToolFailure,
} from '../../domain/policy/judged-tool.js';
import type { KnownCall, RulesInForce } from '../../domain/policy/policy-rules.js';
import type { Clock } from '../../domain/ports/clock.js';
import type { Disposition, Planner, PlanningSituation } from '../../domain/ports/gate/planner.js';
import type { DefinedTool, RegisteredTool } from '../../domain/ports/gate/tool-lookup.js';
import type { RuleVerdict, StandingRules } from '../../domain/ports/gate/standing-rules.js';
import { ToolFailure } from '../../domain/tool/tool.js';
import { canRunOffline, withoutNetworkIn } from './offline.js';
import { addOpenFolderHint } from './open-folder-hint.js';
import { planningFailure } from './planning-failure.js';
import { previewOf } from './preview.js';
import { predictFailure } from './predict-failure.js';
import { CallJudge, type CallJudgeDeps } from './judging/call-judge.js';
import { type MissingAccess, CallsMissingAccess } from './judging/calls-missing-access.js';
import { describeWholeCall } from './judging/describe-whole-call.js';
import { badArgs, checkArguments } from './judging/validate-arguments.js';
import { toConfirmation } from './lapsed-rule.js';
import { duplicateId, duplicateIds, tooManyCalls } from './limits.js';
import { refuseRoute } from './refuse-route.js';
import { findRulesInForce, type RulesInForceDeps } from './rules-in-force.js';
import { StaleJudgements } from './stale-judgements.js';

interface CallPlannerDeps extends CallJudgeDeps, RulesInForceDeps {
  readonly rules: StandingRules;
  /** The open folders that an asker may use; left out, it is told of none. */
  readonly openTo?: (asker: Asker) => readonly string[];
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
  readonly #judge: CallJudge;
  readonly #stale: StaleJudgements;

  constructor(parts: CallPlannerDeps) {
    this.#parts = parts;
    this.#lacked = new CallsMissingAccess(parts.clock);
    this.#judge = new CallJudge(parts, this.#lacked);
    this.#stale = new StaleJudgements(parts, this.#judge);
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
      const off = authorize(call.asker, { seen: 'nothing' }, findRulesInForce(call, situation, this.#parts));
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
    const rules = findRulesInForce(call, situation, this.#parts);
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
      const judged = await this.#judge.judge(call, registered, situation, rules);
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
    const without = withoutNetworkIn(situation);
    const rules = findRulesInForce(call, without, this.#parts);
    const judged = await this.#judge.judge(call, registered, without, rules);
    const offline = withJudgement(judged, { ...judged.judgement, offline: true });
    return this.#decide(offline, describeWholeCall(registered, offline.judgement), without, rules);
  }

  readonly predictFailure = predictFailure;

  findStaleJudgement(call: AuthorizedCall, now: PlanningSituation): Promise<Failure | null> {
    return this.#stale.find(call, now);
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
        summary: this.#judge.redactSummary(
          registered === null ? call.toolName : registered.tool.summary(registered.tool.parse(args), (path) => path),
        ),
      };
    } catch (error) {
      return settled(call, planningFailure(error));
    }
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
      verdict = authorize(asker, seen, { ...rules, confirmation: toConfirmation(ruled) });
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
      verdict = authorize(call.asker, trusted, { ...rules, confirmation: toConfirmation(ruled) });
    }
    return withJudgement(call, { ...untainted, taint: { ...taint, trustWouldDo: verdict.kind === 'run' } });
  }
}

const isByMode = ({ id }: Verdict): boolean => id === 'settings.sandbox' || id === 'settings.collect';
