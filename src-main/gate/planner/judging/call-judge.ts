import { NOTHING_ALLOWED } from '#contract/vocabulary/network.js';
import { toVisibleLine } from '#contract/vocabulary/text/visible-text.js';
import {
  type DeclaredCall,
  getEarlierUnderstanding,
  toValidatedCall,
  type ValidatedCall,
} from '../../../domain/call/call-stages.js';
import { authorize } from '../../../domain/policy/authorize.js';
import type { RulesInForce } from '../../../domain/policy/policy-rules.js';
import type { Taint } from '../../../domain/policy/taint.js';
import type { ConfinementState } from '../../../domain/ports/command-runner.js';
import type { PlanningSituation } from '../../../domain/ports/gate/planner.js';
import type { RegisteredTool } from '../../../domain/ports/gate/tool-lookup.js';
import type { GivenTextLog } from '../../../domain/ports/given-text-log.js';
import type { Redactor } from '../../../domain/ports/redactor.js';
import type { UndoEligibility } from '../../../domain/ports/workspace/transaction.js';
import { getConfinement } from '../../../domain/tool/terms.js';
import {
  narrowPlanContext,
  type PlanContext,
  type Preflight,
  type PreflightContext,
  type Tool,
} from '../../../domain/tool/tool.js';
import { type NamedTargets, judgeCallTaint } from './call-taint.js';
import type { CallsMissingAccess } from './calls-missing-access.js';
import { describeWholeCall } from './describe-whole-call.js';
import { judgeTerms } from './judge-terms.js';
import { judgeUnasked } from './judge-unasked.js';
import { JudgingSandbox } from './judging-sandbox.js';
import { validateArguments } from './validate-arguments.js';

export interface CallJudgeDeps {
  readonly redactor: Redactor;
  /** The confinement that this machine offers, as last probed. */
  readonly confinement: () => ConfinementState;
  /** Resolves when the machine’s confinement has been probed: a judgement before that would rest on a guess. */
  readonly confinementTried: () => Promise<void>;
  readonly keeping: UndoEligibility;
  readonly texts: Pick<GivenTextLog, 'listGivenTo' | 'isTrusted'>;
}

/** Judges what a call would do: its arguments as its tool reads them, what that needs, and what it is told of. */
export class CallJudge {
  readonly #parts: CallJudgeDeps;
  readonly #lacked: CallsMissingAccess;

  constructor(parts: CallJudgeDeps, lacked: CallsMissingAccess) {
    this.#parts = parts;
    this.#lacked = lacked;
  }

  /** The arguments' own parse, and what the call is judged on. */
  async judge(
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
    const { found, understood } = await this.preflight(tool, sound.parsed, judged, getEarlierUnderstanding(call));
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
    const wish = toolsWish ?? (call.wanted?.mustAsk === true ? WANTS_TO_BE_ASKED : null);
    const named = secrets.length === 0 ? {} : { secrets };
    const reads = {
      ...(hidden === null ? {} : { mayRead: hidden.reads, lacked: hidden.why }),
      ...(found.readable === undefined || found.readable.length === 0 ? {} : { readable: found.readable }),
    };
    const led = outside.length === 0 ? {} : { outside };
    const needed = {
      ...(needs === undefined ? {} : { needs }),
      ...(unknownHosts === true ? { unknownHosts } : {}),
    };
    const taint = this.judgeTaint(call, tool, { ...named, ...led, ...needed }, situation);
    const tainted = taint === null ? {} : { taint };
    const verdict = authorize(
      call.asker,
      describeWholeCall(registered, { wish, unasked: judgedUnasked, ...reads, ...tainted }),
      rules,
    );
    const terms = judgeTerms(tool, verdict, judged, offered);
    // The risk of a command by itself; a weaker confinement makes it high.
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
    const summary = this.redactSummary(tool.summary(sound.parsed, (path) => sandbox.named(path)));
    return toValidatedCall(call, { ...sound, understood, summary, risk, judgement });
  }

  async preflight(
    tool: Tool<unknown>,
    parsed: unknown,
    { config, sandbox }: PlanContext,
    before: unknown,
  ): Promise<{ readonly found: Preflight; readonly understood: unknown }> {
    const understood = await this.understand(tool, parsed, { config, sandbox }, before);
    const found = await tool.preflight(parsed, this.#preflightContext(tool, { config, sandbox }), understood);
    return { found, understood };
  }

  async understand(tool: Tool<unknown>, parsed: unknown, at: PlanContext, before: unknown): Promise<unknown> {
    return (await tool.understand?.(parsed, this.#preflightContext(tool, at), before)) ?? null;
  }

  #preflightContext({ declaration: { nature } }: Tool<unknown>, { config, sandbox }: PlanContext): PreflightContext {
    return narrowPlanContext(nature, {
      config,
      sandbox,
      findsSecrets: (content) => this.#parts.redactor.finds(content),
    });
  }

  judgeTaint(call: DeclaredCall, tool: Tool<unknown>, named: NamedTargets, situation: PlanningSituation): Taint | null {
    return judgeCallTaint(call, tool, named, situation, this.#parts);
  }

  /** FR-APR-01: without secrets, with hidden characters made visible, at most 200 characters. */
  redactSummary(summary: string): string {
    return toVisibleLine(this.#parts.redactor.text(summary.slice(0, MAX_SUMMARY)).value);
  }
}

const WANTS_TO_BE_ASKED = 'The program that asks for it wants you to decide.';

/** A summary may hold a whole command; of what is looked at only the beginning is shown. */
const MAX_SUMMARY = 8192;
