import type { ApprovalRequest, WithdrawnCalls } from '#contract/window/approvals.js';
import type { RuleWanted } from '#contract/vocabulary/decisions.js';
import type { Json } from '#contract/vocabulary/json.js';
import type { PlanPreview } from '#contract/vocabulary/tools/tools.js';
import type { Failure } from '#contract/vocabulary/outcomes.js';
import type { ValidatedCall } from '../../domain/call/call-stages.js';
import type { Asker } from '../../domain/call/asker.js';
import { undecidedFailure } from '../../domain/call/judgement.js';
import type {
  ApprovalDesk,
  CallForApproval,
  BatchForApproval,
  DeskAnswer,
  DecisionMessage,
  DeskListener,
  EffectSituation,
} from '../../domain/ports/gate/approval-desk.js';
import type { Disposition, Planner } from '../../domain/ports/gate/planner.js';
import type { NewRule, StandingRules } from '../../domain/ports/gate/standing-rules.js';
import { argumentsForEdit, leavesFileAs, NOT_EDITABLE } from './edited-file.js';
import { Expiries } from './expiries.js';
import { buildRule, ruleProblem } from './new-rule.js';
import { isSameAct } from './same-act.js';
import type { SheetCall } from './sheet-call.js';
import { listEarlierCalls, mergeInOrder, type Sheet } from './sheet.js';
import { type SheetsDeps, Sheets } from './sheets.js';
import { buildSheetCall } from './build-sheet-call.js';
import {
  deniedByPerson,
  foldedProblem,
  grantProblem,
  highRiskProblem,
  isApproved,
  noDecision,
  NOBODY_TO_ASK,
  buildVerdicts,
} from './verdicts.js';

interface PersonDeskDeps extends SheetsDeps {
  readonly planner: Planner;
  readonly rules: StandingRules;
  /** Whether the asker is paused: then it waits without limit. */
  readonly isPaused: (asker: Asker) => boolean;
  /** Set where nobody could be asked. */
  readonly unattended: boolean;
  /** Reports that the caller withdrew something that the person may have been looking at. */
  readonly onWithdrawn: (what: Omit<WithdrawnCalls, 'conversation'>) => void;
}

const done: DeskAnswer = { ok: true, value: null };
const stale: DeskAnswer<never> = {
  ok: false,
  problem: 'stale',
  message: 'This changed while you were deciding. Look at it again, then answer.',
};
const missing: DeskAnswer<never> = {
  ok: false,
  problem: 'not-found',
  message: 'This no longer waits for an answer.',
};
const tooSoon: DeskAnswer<never> = {
  ok: false,
  problem: 'refused',
  message: 'This changed less than half a second ago, so nothing was approved. Look at it, then approve.',
};

/** Tells the person that the call ended because it could not be recorded; its caller is told as well. */
const notRecorded = ({ message }: Failure): DeskAnswer<never> => ({ ok: false, problem: 'refused', message });

/** Holds the calls that wait for the person, one sheet an asker. The only way to a grant that policy does not give. */
export class PersonDesk implements ApprovalDesk {
  readonly #parts: PersonDeskDeps;
  readonly #sheets: Sheets;
  readonly #expiries = new Expiries();
  #listener: DeskListener | null = null;

  constructor(parts: PersonDeskDeps) {
    this.#parts = parts;
    this.#sheets = new Sheets(parts, (sheet) => this.#redraw(sheet, [...sheet.calls.keys()]));
  }

  listen(listener: DeskListener): void {
    this.#listener = listener;
  }

  async ask(batch: BatchForApproval, calls: readonly CallForApproval[], situation: EffectSituation): Promise<void> {
    if (this.#parts.unattended) {
      const denied = calls.map(({ call }) => ({ call, failure: NOBODY_TO_ASK }));
      this.#listener?.decided(batch.batchId, { approved: [], denied });
      return;
    }
    const shown: SheetCall[] = [];
    const before = listEarlierCalls(this.#sheets.opened(batch, situation));
    // In the order of the batch: a preview assumes that the earlier calls have run.
    for (const asked of calls) shown.push(await buildSheetCall(asked, situation, [...before, ...shown]));
    // The sheet may be gone meanwhile, with all that was on it.
    this.#sheets.opened(batch, situation);
    for (const { asked } of shown) this.#expire(batch.batchId, asked, situation);
    this.#sheets.add(batch.batchId, shown, situation);
  }

  /**
   * Applies the person’s decision on a whole sheet. It refers to calls only by ids and by the digest of what was shown.
   */
  async decide(message: DecisionMessage): Promise<DeskAnswer> {
    const before = this.#findDecidable(message);
    if (!before.ok) return before;
    const look = await this.#recheck(before.value, message);
    if (!look.ok) return look;
    const keep = message.rule === undefined ? null : await this.#newRule(before.value, message.rule);
    // Making a rule takes a moment: what is decided is what stands there now, and that must be what was shown.
    const decidable = this.#findDecidable(message);
    if (!decidable.ok) return decidable;
    const sheet = decidable.value;
    const verdicts = buildVerdicts(sheet, message, this.#sheets.now(sheet));
    for (const callId of sheet.calls.keys()) this.#expiries.drop(callId);
    const approved = new Map([...sheet.calls].filter(([callId]) => isApproved(message, callId)));
    // The gate first: what comes next is looked at as it is after this decision.
    const unrecorded = this.#listener?.decided(message.batchId, verdicts) ?? null;
    this.#sheets.decided(this.#sheets.get(message.batchId) ?? sheet, unrecorded === null ? approved : new Map());
    if (unrecorded !== null) return notRecorded(unrecorded);
    await keep?.();
    return done;
  }

  /**
   * Judges the approved calls once more, and works out their effects once more: a file may have changed, a link may be
   * in its place, a rule may have come. Where anything differs from what was shown, the sheet is drawn anew instead.
   */
  async #recheck(sheet: Sheet, message: DecisionMessage): Promise<DeskAnswer> {
    const approved = [...sheet.calls.keys()].filter((callId) => isApproved(message, callId));
    if (approved.length === 0) return done;
    const refused = await this.#redraw(sheet, approved);
    if (refused !== null) return { ok: false, problem: 'stale', message: refused.message };
    return this.#findDecidable(message).ok ? done : stale;
  }

  /**
   * Judges these calls anew, and redraws the sheet where they differ from what it holds. Returns why a call had to be
   * refused.
   */
  async #redraw({ batch }: Sheet, callIds: readonly string[]): Promise<Failure | null> {
    const situation = this.#parts.situation(batch.batchId);
    const held = this.#sheets.get(batch.batchId);
    if (held === undefined || situation === null) return null;
    const calls = callIds.flatMap((callId) => held.calls.get(callId) ?? []);
    const others = listEarlierCalls(held).filter((each) => !calls.includes(each));
    const anew: (SheetCall | { readonly failure: Failure })[] = [];
    for (const each of calls) {
      const seen = anew.flatMap((one) => ('failure' in one ? [] : [one]));
      anew.push(await this.#rejudge(each, situation, inBatchOrder([...others, ...seen])));
    }
    let refused: Failure | null = null;
    for (const [position, now] of anew.entries()) {
      const before = calls[position];
      const sheet = this.#sheets.get(batch.batchId);
      // Somebody else drew it anew meanwhile, or it was taken off.
      if (before === undefined || sheet?.calls.get(before.asked.call.callId) !== before) continue;
      const { call } = before.asked;
      if ('failure' in now) {
        refused = now.failure;
        this.#takeOff(call.callId);
        this.#listener?.decided(batch.batchId, { approved: [], denied: [{ call, failure: now.failure }] });
      } else {
        const { drawnAs } = isSameAct(before.drawnAs, now.drawnAs) ? before : now;
        this.#sheets.hold({ ...sheet, situation, calls: new Map(sheet.calls).set(call.callId, { ...now, drawnAs }) });
      }
    }
    this.#sheets.publishChanged();
    return refused;
  }

  async #rejudge(
    { asked }: SheetCall,
    situation: EffectSituation,
    others: readonly SheetCall[],
  ): Promise<SheetCall | { readonly failure: Failure }> {
    const planned = await this.#parts.planner.replan(asked.call, situation);
    if (planned.kind === 'settled') return { failure: planned.failure };
    if (planned.kind === 'await-result') return { failure: undecidedFailure('tools only wait for results now') };
    // Once a person was asked they stay asked, even where nothing would make it ask now.
    const why = asked.hook?.why ?? (planned.kind === 'ask' ? planned.why : asked.why);
    const runnerChange = planned.kind === 'ask' ? planned.runnerChange : asked.runnerChange;
    const confirmable = isConfirmable(planned, asked);
    const now = await buildSheetCall(
      { ...asked, call: planned.call, why, runnerChange, confirmable },
      situation,
      others,
    );
    const failure = now.effect.kind === 'problem' ? await this.#predictFailure(planned.call, situation, others) : null;
    return failure === null ? now : { failure };
  }

  /**
   * Finds out whether the call can only fail by now, as its file changed or exists already: then there is nothing left
   * to ask about.
   */
  async #predictFailure(
    call: ValidatedCall,
    situation: EffectSituation,
    others: readonly SheetCall[],
  ): Promise<Failure | null> {
    const earlier = others.map(({ asked }) => asked.call).filter(({ index }) => index < call.index);
    return this.#parts.planner.predictFailure(call, situation, [...earlier, ...situation.mayRunBefore(call.index)]);
  }

  #findDecidable(message: DecisionMessage): DeskAnswer<Sheet> {
    const sheet = this.#sheets.drawn(message.batchId);
    if (sheet === undefined) return missing;
    const shown = this.#sheets.request(sheet);
    if (message.digest !== shown.digest) return stale;
    if (message.decision.kind !== 'deny-all' && this.#sheets.isTooNew(message.batchId)) return tooSoon;
    const problem =
      grantProblem(shown, message) ??
      highRiskProblem(shown, message) ??
      foldedProblem(shown, message) ??
      ruleProblem(shown, message);
    return problem === null ? { ok: true, value: sheet } : { ok: false, problem: 'refused', message: problem };
  }

  denyOne(batchId: string, callId: string, digest: string, reason: string | null): DeskAnswer {
    const sheet = this.#sheets.drawn(batchId);
    const asked = sheet?.calls.get(callId)?.asked;
    if (sheet === undefined || asked === undefined) return missing;
    if (digest !== this.#sheets.request(sheet).digest) return stale;
    this.#takeOff(callId);
    const denied = [{ call: asked.call, failure: deniedByPerson(reason) }];
    const unrecorded = this.#listener?.decided(batchId, { approved: [], denied }) ?? null;
    return unrecorded === null ? done : notRecorded(unrecorded);
  }

  /** Moves the calls that came later onto the sheet, because the person wants to see them there. */
  async show(batchId: string): Promise<DeskAnswer> {
    const sheet = this.#sheets.drawn(batchId);
    if (sheet === undefined) return missing;
    const joined = { ...sheet, calls: mergeInOrder(sheet.calls, sheet.behind), behind: new Map() };
    this.#sheets.hold(joined);
    // Other calls ran meanwhile, or were denied: what it would do is what it would do now.
    await this.#redraw(joined, [...sheet.behind.keys()]);
    return done;
  }

  /** Turns the person’s edit of a file into the arguments that leave the file so, and nothing else. */
  async editFile(
    batchId: string,
    callId: string,
    digest: string,
    path: string,
    content: string,
  ): Promise<DeskAnswer<ApprovalRequest>> {
    const held = this.#sheets.drawn(batchId)?.calls.get(callId);
    if (held === undefined) return missing;
    const args = argumentsForEdit(held, path, content);
    if (args === null) return { ok: false, problem: 'refused', message: NOT_EDITABLE };
    return this.edit(batchId, callId, digest, args, (now) => leavesFileAs(now, path, content));
  }

  /** Plans the call again with edited arguments, the whole way; the original arguments are kept. */
  async edit(
    batchId: string,
    callId: string,
    digest: string,
    args: Json,
    isMeant: (now: SheetCall) => boolean = () => true,
  ): Promise<DeskAnswer<ApprovalRequest>> {
    const before = this.#sheets.drawn(batchId);
    if (before === undefined || !before.calls.has(callId)) return missing;
    if (digest !== this.#sheets.request(before).digest) return stale;
    const old = before.calls.get(callId)?.asked;
    if (old === undefined) return missing;
    const situation = this.#parts.situation(batchId) ?? before.situation;
    const planned = await this.#parts.planner.replan({ ...old.call, rawArguments: args }, situation);
    if (planned.kind === 'settled') return { ok: false, problem: 'refused', message: planned.failure.message };
    if (planned.kind === 'await-result')
      return { ok: false, problem: 'refused', message: 'Parse only: nothing runs now, and you give each result.' };
    const originalArguments = old.originalArguments ?? old.call.arguments;
    // Once a person was asked they stay asked, even where the new arguments alone would not have needed it.
    const why = old.hook?.why ?? (planned.kind === 'ask' ? planned.why : old.why);
    const runnerChange = planned.kind === 'ask' ? planned.runnerChange : null;
    const others = listEarlierCalls(before).filter((each) => each.asked !== old);
    const confirmable = isConfirmable(planned, old);
    const anew = { ...old, call: planned.call, why, runnerChange, originalArguments, confirmable };
    const now = await buildSheetCall(anew, situation, others);
    if (!isMeant(now)) return { ok: false, problem: 'refused', message: NOT_EDITABLE };
    const sheet = this.#sheets.drawn(batchId);
    if (sheet === undefined || sheet.calls.get(callId)?.asked !== old) return stale;
    const edited = { ...sheet, calls: new Map(sheet.calls).set(callId, now) };
    this.#listener?.edited(batchId, now.asked.call, originalArguments);
    this.#sheets.put(edited);
    return { ok: true, value: this.#sheets.request(edited) };
  }

  async checkEdit(callId: string, args: Json): Promise<PlanPreview | null> {
    for (const { calls, situation } of this.#sheets.all()) {
      const asked = calls.get(callId)?.asked;
      if (asked !== undefined)
        return this.#parts.planner.preview(asked.call.toolName, args, asked.call.asker, situation);
    }
    return null;
  }

  withdraw(callId: string, by: 'caller' | 'person'): void {
    for (const { calls, behind, batch, drawn } of this.#sheets.all()) {
      const asked = (calls.get(callId) ?? behind.get(callId))?.asked;
      if (asked === undefined) continue;
      this.#takeOff(callId);
      const { door, session, client, agent, tenant, user } = batch.asker;
      if (by === 'caller' && drawn !== null)
        this.#parts.onWithdrawn({ callId, summary: asked.call.summary, door, session, client, agent, tenant, user });
    }
  }

  callerGone(batchId: string): void {
    const sheet = this.#sheets.get(batchId);
    if (sheet !== undefined) this.#sheets.put({ ...sheet, callerGone: true });
  }

  /**
   * Redraws all sheets: what is in force changed, and with it perhaps what calls get or may do. Whoever decides must
   * see it.
   */
  async refresh(): Promise<void> {
    await Promise.all(this.#sheets.all().map((sheet) => this.#redraw(sheet, [...sheet.calls.keys()])));
  }

  /** Closes with the app. Nothing is decided by that; the calls that wait are in the journal and are asked again. */
  dispose(): void {
    this.#expiries.clear();
    for (const { batch } of this.#sheets.all()) this.#sheets.remove(batch.batchId);
  }

  #takeOff(callId: string): void {
    this.#expiries.drop(callId);
    this.#sheets.takeOff(callId);
  }

  #expire(batchId: string, asked: CallForApproval, situation: EffectSituation): void {
    const { call } = asked;
    const seconds = situation.config.tools.approval.wait_seconds;
    this.#expiries.set(call.callId, seconds, () => {
      if (this.#parts.isPaused(call.asker)) return this.#expire(batchId, asked, situation);
      this.#takeOff(call.callId);
      this.#listener?.decided(batchId, { approved: [], denied: [{ call, failure: noDecision(seconds) }] });
    });
  }

  async #newRule(sheet: Sheet, wanted: RuleWanted): Promise<(() => Promise<void>) | null> {
    const [only] = sheet.calls.values();
    if (only === undefined) return null;
    return this.#parts.rules.makeRule(buildRule(only, wanted, this.#sheets.hasToken(sheet)), sheet.situation, wanted);
  }

  /** Builds the rule that could be made of the one call on a sheet; null where the sheet no longer shows that. */
  buildWantedRule(
    batchId: string,
    digest: string,
    wanted: RuleWanted,
  ): { readonly rule: NewRule; readonly tool: string } | null {
    const sheet = this.#sheets.drawn(batchId);
    const [only, more] = sheet?.calls.values() ?? [];
    if (sheet === undefined || only === undefined || more !== undefined) return null;
    if (digest !== this.#sheets.request(sheet).digest) return null;
    return { rule: buildRule(only, wanted, this.#sheets.hasToken(sheet)), tool: only.asked.call.toolName };
  }
}

/** Whether a rule could answer it. What a hook wants asked, none can. */
const isConfirmable = (planned: Disposition, { hook, confirmable }: CallForApproval): boolean =>
  hook === undefined && (planned.kind === 'ask' ? planned.confirmable : confirmable);

const inBatchOrder = (calls: readonly SheetCall[]): readonly SheetCall[] =>
  calls.toSorted((one, other) => one.asked.call.index - other.asked.call.index);
