import type { ApprovalRequest } from '#contract/window/approvals.js';
import type { Effect } from '#contract/vocabulary/effects.js';
import type { Json } from '#contract/vocabulary/json.js';
import type { PlanPreview } from '#contract/vocabulary/tools.js';
import type { Failure } from '#contract/vocabulary/outcomes.js';
import { undecided } from '../../domain/call/judgement.js';
import { asJudged, type ValidatedCall } from '../../domain/call/call-stages.js';
import type {
  ApprovalDesk,
  AskedFor,
  AskingBatch,
  DeskAnswer,
  DecisionMessage,
  DeskListener,
  EffectSituation,
} from '../../domain/ports/gate/approval-desk.js';
import type { Planner } from '../../domain/ports/gate/planner.js';
import type { StandingRules } from '../../domain/ports/gate/standing-rules.js';
import type { Clock } from '../../domain/ports/clock.js';
import type { ConfinementState } from '../../domain/ports/command-runner.js';
import type { TermsSituation } from '../../domain/tool/terms.js';
import { type EffectContext, type Foreseen, ToolFailure } from '../../domain/tool/tool.js';
import { requestFor, type Sheet, type SheetCall } from './sheet.js';
import { deniedByPerson, isApproved, networkProblem, noDecision, verdictsOf } from './verdicts.js';

interface Parts {
  readonly planner: Planner;
  readonly rules: StandingRules;
  readonly clock: Clock;
  /** What this machine offers, as it was last found out. */
  readonly confinement: () => ConfinementState;
  /** What is in force now, for the calls of a batch; null where the batch is over. */
  readonly situation: (batchId: string) => EffectSituation | null;
  readonly publish: (request: ApprovalRequest) => void;
  readonly gone: (batchId: string) => void;
}

const done: DeskAnswer = { ok: true, value: null };
const stale: DeskAnswer<never> = {
  ok: false,
  problem: 'stale',
  message: 'This changed while you looked at it. Look at it again, then decide.',
};
const missing: DeskAnswer<never> = {
  ok: false,
  problem: 'not-found',
  message: 'Nothing waits for this decision any more.',
};

const EFFECT_TIMEOUT_MS = 5000;
const TOO_LONG: Effect = {
  kind: 'problem',
  message: 'Working out what this would do takes too long. The arguments are shown instead.',
};

/** Holds what waits for the person, one sheet a batch. The only way to a grant that policy does not give. */
export class PersonDesk implements ApprovalDesk {
  readonly #parts: Parts;
  readonly #sheets = new Map<string, Sheet>();
  /** The digest of what the window was last given of each. */
  readonly #shown = new Map<string, string>();
  readonly #expiries = new Map<string, NodeJS.Timeout>();
  #listener: DeskListener | null = null;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  listen(listener: DeskListener): void {
    this.#listener = listener;
  }

  async ask(batch: AskingBatch, calls: readonly AskedFor[], situation: EffectSituation): Promise<void> {
    const since = this.#parts.clock.now();
    const before = [...(this.#sheets.get(batch.batchId)?.calls.values() ?? [])];
    const shown: SheetCall[] = [];
    // In the order of the batch: a preview assumes that the earlier calls have run.
    for (const asked of calls) shown.push({ ...(await shownOf(asked, situation, [...before, ...shown])), since });
    const open = this.#sheets.get(batch.batchId);
    const merged = new Map(open?.calls);
    for (const each of shown) {
      merged.set(each.asked.call.callId, each);
      this.#expire(batch.batchId, each.asked.call, situation.config.tools.approval.wait_seconds);
    }
    // In the order of the batch, whichever effect was worked out first.
    const inOrder = [...merged].sort(([, one], [, other]) => one.asked.call.index - other.asked.call.index);
    this.#put({ batch, situation, calls: new Map(inOrder), callerGone: open?.callerGone ?? false });
  }

  /** The person's word on a whole sheet. Answers only by ids and the digest of what was shown. */
  async decide(message: DecisionMessage): Promise<DeskAnswer> {
    const before = this.#decidable(message);
    if (!before.ok) return before;
    const look = await this.#lookAgain(before.value, message);
    if (!look.ok) return look;
    if (message.remember !== null) await this.#remember(before.value, message.remember);
    // Keeping a rule takes a moment: what is decided is what stands there now, and that must be what was shown.
    const sheet = this.#decidable(message);
    if (!sheet.ok) return sheet;
    const verdicts = verdictsOf(sheet.value, message, this.#now(sheet.value));
    this.#remove(message.batchId);
    this.#listener?.decided(message.batchId, verdicts);
    return done;
  }

  /**
   * What is approved is judged once more, and what it would do looked at once more: a file that changed, a link that was
   * put in its place, a rule that came. Where anything is other than what was shown, the sheet is drawn anew instead.
   */
  async #lookAgain(sheet: Sheet, message: DecisionMessage): Promise<DeskAnswer> {
    const approved = [...sheet.calls.keys()].filter((callId) => isApproved(message, callId));
    if (approved.length === 0) return done;
    const refused = await this.#redraw(sheet, approved);
    if (refused !== null) return { ok: false, problem: 'stale', message: refused.message };
    return this.#decidable(message).ok ? done : stale;
  }

  /** Judges these calls anew, and draws the sheet anew where they are not as it has them. Gives why a call had to be refused. */
  async #redraw({ batch }: Sheet, callIds: readonly string[]): Promise<Failure | null> {
    const situation = this.#parts.situation(batch.batchId);
    const held = this.#sheets.get(batch.batchId);
    if (held === undefined || situation === null) return null;
    const calls = callIds.flatMap((callId) => held.calls.get(callId) ?? []);
    const others = [...held.calls.values()].filter((each) => !calls.includes(each));
    const anew: (Omit<SheetCall, 'since'> | { readonly failure: Failure })[] = [];
    for (const each of calls) {
      const seen = anew.flatMap((one) => ('failure' in one ? [] : [one]));
      anew.push(await this.#judgedAnew(each, situation, [...others, ...seen]));
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
        this.#takeOff(sheet, call.callId);
        this.#listener?.decided(batch.batchId, { approved: [], denied: [{ call, failure: now.failure }] });
      } else {
        const planned = new Map(sheet.calls).set(call.callId, { ...before, ...now });
        this.#sheets.set(batch.batchId, { ...sheet, situation, calls: planned });
      }
    }
    this.#publishChanged();
    return refused;
  }

  async #judgedAnew(
    { asked }: SheetCall,
    situation: EffectSituation,
    others: readonly Omit<SheetCall, 'since'>[],
  ): Promise<Omit<SheetCall, 'since'> | { readonly failure: Failure }> {
    const planned = await this.#parts.planner.replan(asked.call, situation);
    if (planned.kind === 'settled') return { failure: planned.failure };
    if (planned.kind === 'await-result') return { failure: undecided('tools only wait for results now') };
    // Once a person was asked they stay asked, even where nothing would make it ask now.
    const why = planned.kind === 'ask' ? planned.why : asked.why;
    const runnerChange = planned.kind === 'ask' ? planned.runnerChange : asked.runnerChange;
    return shownOf({ ...asked, call: planned.call, why, runnerChange }, situation, others);
  }

  #decidable(message: DecisionMessage): DeskAnswer<Sheet> {
    const sheet = this.#sheets.get(message.batchId);
    if (sheet === undefined) return missing;
    const shown = this.#request(sheet);
    if (message.digest !== shown.digest) return stale;
    const problem = networkProblem(shown, message);
    return problem === null ? { ok: true, value: sheet } : { ok: false, problem: 'refused', message: problem };
  }

  denyOne(batchId: string, callId: string, digest: string, reason: string | null): DeskAnswer {
    const sheet = this.#sheets.get(batchId);
    const asked = sheet?.calls.get(callId)?.asked;
    if (sheet === undefined || asked === undefined) return missing;
    if (digest !== this.#request(sheet).digest) return stale;
    this.#takeOff(sheet, callId);
    this.#listener?.decided(batchId, { approved: [], denied: [{ call: asked.call, failure: deniedByPerson(reason) }] });
    return done;
  }

  /** Edited arguments go the whole way again; what they were is kept. */
  async edit(batchId: string, callId: string, digest: string, args: Json): Promise<DeskAnswer<ApprovalRequest>> {
    const before = this.#sheets.get(batchId);
    if (before === undefined || !before.calls.has(callId)) return missing;
    if (digest !== this.#request(before).digest) return stale;
    const old = before.calls.get(callId)?.asked;
    if (old === undefined) return missing;
    const situation = this.#parts.situation(batchId) ?? before.situation;
    const planned = await this.#parts.planner.replan({ ...old.call, rawArguments: args }, situation);
    if (planned.kind === 'settled') return { ok: false, problem: 'refused', message: planned.failure.message };
    if (planned.kind === 'await-result')
      return { ok: false, problem: 'refused', message: 'Tools only wait for results now (tools.mode = "parse_only").' };
    const originalArguments = old.originalArguments ?? old.call.arguments;
    // Once a person was asked they stay asked, even where the new arguments alone would not have needed it.
    const why = planned.kind === 'ask' ? planned.why : old.why;
    const runnerChange = planned.kind === 'ask' ? planned.runnerChange : null;
    const others = [...before.calls.values()].filter((each) => each.asked !== old);
    const anew = { call: planned.call, why, runnerChange, originalArguments };
    const { asked, effect, leaves } = await shownOf(anew, situation, others);
    const sheet = this.#sheets.get(batchId);
    if (sheet === undefined || sheet.calls.get(callId)?.asked !== old) return stale;
    const edited = {
      ...sheet,
      calls: new Map(sheet.calls).set(callId, { asked, effect, leaves, since: this.#parts.clock.now() }),
    };
    this.#listener?.edited(batchId, asked.call, originalArguments);
    this.#put(edited);
    return { ok: true, value: this.#request(edited) };
  }

  async checkEdit(callId: string, args: Json): Promise<PlanPreview | null> {
    for (const sheet of this.#sheets.values()) {
      const asked = sheet.calls.get(callId)?.asked;
      if (asked !== undefined)
        return this.#parts.planner.preview(asked.call.toolName, args, asked.call.asker, sheet.situation);
    }
    return null;
  }

  withdraw(callId: string, by: 'caller' | 'person'): void {
    for (const sheet of this.#sheets.values()) {
      if (!sheet.calls.has(callId)) continue;
      if (by === 'caller' && sheet.calls.size === 1) {
        this.#forget(callId);
        this.#put({ ...sheet, calls: new Map(), callerGone: true });
      } else this.#takeOff(sheet, callId);
    }
  }

  callerGone(batchId: string): void {
    const sheet = this.#sheets.get(batchId);
    if (sheet !== undefined) this.#put({ ...sheet, callerGone: true });
  }

  /** Close: for a sheet with nothing left on it. */
  close(batchId: string): DeskAnswer {
    const sheet = this.#sheets.get(batchId);
    if (sheet === undefined) return missing;
    if (sheet.calls.size > 0) return { ok: false, problem: 'refused', message: 'Approve or deny what it holds first.' };
    this.#remove(batchId);
    return done;
  }

  /** What is in force changed, and with it perhaps what calls get or may do: who decides must see it. */
  async refresh(): Promise<void> {
    await Promise.all([...this.#sheets.values()].map((sheet) => this.#redraw(sheet, [...sheet.calls.keys()])));
  }

  #publishChanged(): void {
    for (const sheet of this.#sheets.values()) {
      if (this.#shown.get(sheet.batch.batchId) !== this.#request(sheet).digest) this.#put(sheet);
    }
  }

  get requests(): readonly ApprovalRequest[] {
    return [...this.#sheets.values()].map((sheet) => this.#request(sheet));
  }

  /** The app closes: nothing is decided by that; what waits is in the journal and is asked again. */
  dispose(): void {
    for (const timer of this.#expiries.values()) clearTimeout(timer);
    this.#expiries.clear();
    for (const batchId of this.#sheets.keys()) this.#remove(batchId);
  }

  #request(sheet: Sheet): ApprovalRequest {
    return requestFor(sheet, this.#now(sheet));
  }

  /** What its calls would get if they were decided now. */
  #now({ batch, situation }: Sheet): Omit<TermsSituation, 'network'> {
    const { config } = this.#parts.situation(batch.batchId) ?? situation;
    return { config, confinement: this.#parts.confinement() };
  }

  #put(sheet: Sheet): void {
    this.#sheets.set(sheet.batch.batchId, sheet);
    const request = this.#request(sheet);
    this.#shown.set(request.batchId, request.digest);
    this.#parts.publish(request);
  }

  #takeOff(sheet: Sheet, callId: string): void {
    this.#forget(callId);
    const calls = new Map(sheet.calls);
    calls.delete(callId);
    if (calls.size === 0) this.#remove(sheet.batch.batchId);
    else this.#put({ ...sheet, calls });
  }

  #remove(batchId: string): void {
    const sheet = this.#sheets.get(batchId);
    if (sheet === undefined) return;
    for (const callId of sheet.calls.keys()) this.#forget(callId);
    this.#sheets.delete(batchId);
    this.#shown.delete(batchId);
    this.#parts.gone(batchId);
  }

  #forget(callId: string): void {
    clearTimeout(this.#expiries.get(callId));
    this.#expiries.delete(callId);
  }

  #expire(batchId: string, call: ValidatedCall, waitSeconds: number): void {
    if (waitSeconds <= 0) return;
    // Longer than a timer can count is as good as without limit.
    const timer = setTimeout(
      () => {
        const sheet = this.#sheets.get(batchId);
        if (!sheet?.calls.has(call.callId)) return;
        this.#takeOff(sheet, call.callId);
        this.#listener?.decided(batchId, { approved: [], denied: [{ call, failure: noDecision(waitSeconds) }] });
      },
      Math.min(waitSeconds * 1000, 2 ** 31 - 1),
    );
    this.#expiries.set(call.callId, timer);
  }

  async #remember(sheet: Sheet, { callIds, scope, prefix }: NonNullable<DecisionMessage['remember']>): Promise<void> {
    for (const callId of callIds) {
      const call = sheet.calls.get(callId)?.asked.call;
      if (call === undefined) continue;
      const key = call.tool.standingKey(call.parsed);
      const words = key.of === 'tool' ? null : key.words;
      const what = words === null ? {} : prefix === null ? { command: words } : { prefix };
      await this.#parts.rules.remember({ tool: call.toolName, ...what }, sheet.situation, scope);
    }
  }
}

/** What it would do, and the call judged on that too: what is shown of files is what it may change. */
async function shownOf(
  asked: AskedFor,
  situation: EffectSituation,
  others: readonly Omit<SheetCall, 'since'>[],
): Promise<Omit<SheetCall, 'since'>> {
  const { call } = asked;
  const shown: Record<string, string | null> = {};
  const leaves = new Map<string, Uint8Array | null>();
  const shows: EffectContext['shows'] = ({ absolute }, sha256, after) => {
    shown[absolute] = sha256;
    leaves.set(absolute, after);
  };
  const earlier = others.filter((each) => each.asked.call.index < call.index);
  const foreseen: Foreseen = {
    content: (path) => earlier.findLast((each) => each.leaves.has(path))?.leaves.get(path),
    isRead: (path) => situation.readsBefore(call.index, path),
  };
  const { effect, known } = await effectOf(call, { ...situation, shows, foreseen });
  // Where nothing could be worked out in time, the arguments are what is approved.
  const judgement = {
    ...call.judgement,
    shown: known && effect.kind !== 'arguments' && effect.kind !== 'command' ? shown : null,
  };
  return { asked: { ...asked, call: asJudged(call, judgement) }, effect, leaves };
}

/** A tool that can't say within a few seconds must not keep the sheet from opening; `known` is false then. */
async function effectOf(
  call: ValidatedCall,
  context: EffectContext,
): Promise<{ readonly effect: Effect; readonly known: boolean }> {
  let timer: NodeJS.Timeout | undefined;
  const tooLong = new Promise<null>((resolve) => {
    timer = setTimeout(() => resolve(null), EFFECT_TIMEOUT_MS);
  });
  try {
    const effect = await Promise.race([call.tool.effect(call.parsed, context), tooLong]);
    return effect === null ? { effect: TOO_LONG, known: false } : { effect, known: true };
  } catch (error) {
    const message = error instanceof ToolFailure ? error.message : 'What this would do can’t be shown.';
    return { effect: { kind: 'problem', message }, known: true };
  } finally {
    clearTimeout(timer);
  }
}
