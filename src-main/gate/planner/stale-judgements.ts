import { isDeepStrictEqual } from 'node:util';
import { NOTHING_ALLOWED } from '#contract/vocabulary/network.js';
import type { Failure } from '#contract/vocabulary/outcomes.js';
import {
  type AuthorizedCall,
  getAllowedNetwork,
  type ValidatedCall,
  withJudgement,
} from '../../domain/call/call-stages.js';
import { findChangedTerms, type Judgement, undecidedFailure } from '../../domain/call/judgement.js';
import { authorize } from '../../domain/policy/authorize.js';
import { findReachableTool, requestedName, unknownToolFailure } from '../../domain/policy/judged-tool.js';
import { isTaintWorse } from '../../domain/policy/taint.js';
import type { PlanningSituation } from '../../domain/ports/gate/planner.js';
import type { RuleVerdict, StandingRules } from '../../domain/ports/gate/standing-rules.js';
import type { CallJudge, CallJudgeDeps } from './judging/call-judge.js';
import { describeWholeCall } from './judging/describe-whole-call.js';
import { judgeTerms } from './judging/judge-terms.js';
import { judgeUnasked } from './judging/judge-unasked.js';
import { JudgingSandbox } from './judging/judging-sandbox.js';
import { explainNewQuestion, findLapsedRule, toConfirmation } from './lapsed-rule.js';
import { withoutNetworkIn } from './offline.js';
import { planningFailure } from './planning-failure.js';
import { findRulesInForce, type RulesInForceDeps } from './rules-in-force.js';

interface StaleJudgementDeps extends CallJudgeDeps, RulesInForceDeps {
  readonly rules: StandingRules;
}

/** Finds what is no longer as it was when a call was judged, right before the judgement counts. */
export class StaleJudgements {
  readonly #parts: StaleJudgementDeps;
  readonly #judge: CallJudge;

  constructor(parts: StaleJudgementDeps, judge: CallJudge) {
    this.#parts = parts;
    this.#judge = judge;
  }

  async find(call: AuthorizedCall, now: PlanningSituation): Promise<Failure | null> {
    const { judgement, grant, asker } = call;
    const situation = judgement.offline === true ? withoutNetworkIn(now) : now;
    const { taint: _then, ...untainted } = judgement;
    const judgedNow = (): Judgement => {
      const taint = this.#judge.judgeTaint(call, call.tool, judgement, situation);
      return taint === null ? untainted : { ...untainted, taint };
    };
    // What takes time comes first: the rest is looked at right before it counts.
    const byRule = grant.by === 'standing-confirmation';
    const ruled = byRule ? await this.#askRulesNow(withJudgement(call, judgedNow()), situation) : null;
    const lapsed = ruled === null ? await this.#recheckReading(call, situation) : findLapsedRule(ruled, call);
    const rules = findRulesInForce(call, situation, this.#parts);
    const registered = findReachableTool(this.#parts.tools, call);
    if (registered === null)
      return this.#parts.tools.explainAbsence(requestedName(call)) ?? unknownToolFailure(call.toolName);
    const current = judgedNow();
    const whole = describeWholeCall(registered, current);
    const answered = {
      ...rules,
      confirmation: ruled === null ? null : toConfirmation(ruled),
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
    const understood = await this.#judge.understand(call.tool, call.parsed, situation, call.understood);
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
      const { found } = await this.#judge.preflight(tool, call.parsed, { ...situation, sandbox }, call.understood);
      const { config } = situation;
      const now = await judgeUnasked({ tool, found, sandbox, config, offered, keeping: this.#parts.keeping });
      const same = isDeepStrictEqual(now, judgement.unasked) && found.mustAsk === judgement.wish;
      return same ? null : undecidedFailure('what it would do is not what it was when this was judged');
    } catch (error) {
      return planningFailure(error);
    }
  }
}

const READ_MEANWHILE = 'text that the user did not write was read after it was judged, and it could take data out';
