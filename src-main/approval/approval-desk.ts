import type { ApprovalRequest, Effect } from '../../src-preload/contract/approvals.js';
import type { Json } from '../../src-preload/contract/json.js';
import type { PlanPreview } from '../../src-preload/contract/tools.js';
import type { ValidatedCall } from '../domain/call-stages.js';
import type {
  ApprovalDesk,
  AskedFor,
  AskingBatch,
  CommandConfinement,
  ConfirmationBook,
  DeskAnswer,
  DecisionMessage,
  DeskListener,
  EffectSituation,
  Planner,
} from '../domain/gate-ports.js';
import type { Clock } from '../domain/ports.js';
import { type PlanContext, runsCommands, ToolFailure } from '../domain/tool.js';
import { requestFor, type Sheet, type SheetCall } from './sheet.js';
import { deniedByPerson, networkProblem, noDecision, verdictsOf } from './verdicts.js';

interface Parts {
  readonly planner: Planner;
  readonly confirmations: ConfirmationBook;
  readonly clock: Clock;
  readonly confinement: () => CommandConfinement;
  /** Resolves when it was tried what this machine offers: what a sheet says of it before that would be a guess. */
  readonly confinementTried: Promise<void>;
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
    const shown = await Promise.all(
      calls.map(async (asked): Promise<SheetCall> => ({ asked, effect: await effectOf(asked.call, situation), since })),
    );
    if (calls.some(({ call }) => runsCommands(call.tool.declaration))) await this.#parts.confinementTried;
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
    if (message.remember !== null) await this.#remember(before.value, message.remember);
    // Keeping a rule takes a moment: what is decided is what stands there now, and that must be what was shown.
    const sheet = this.#decidable(message);
    if (!sheet.ok) return sheet;
    const verdicts = verdictsOf(sheet.value, message);
    this.#remove(message.batchId);
    this.#listener?.decided(message.batchId, verdicts);
    return done;
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
    const planned = await this.#parts.planner.replan({ ...old.call, rawArguments: args }, before.situation);
    if (planned.kind === 'settled') return { ok: false, problem: 'refused', message: planned.failure.message };
    if (planned.kind === 'await-result')
      return { ok: false, problem: 'refused', message: 'Tools only wait for results now (tools.mode = "parse_only").' };
    const effect = await effectOf(planned.call, before.situation);
    const sheet = this.#sheets.get(batchId);
    if (sheet === undefined || sheet.calls.get(callId)?.asked !== old) return stale;
    const originalArguments = old.originalArguments ?? old.call.arguments;
    // Once a person was asked they stay asked, even where the new arguments alone would not have needed it.
    const asked: AskedFor = {
      call: planned.call,
      why: planned.kind === 'ask' ? planned.why : old.why,
      originalArguments,
    };
    const edited = {
      ...sheet,
      calls: new Map(sheet.calls).set(callId, { asked, effect, since: this.#parts.clock.now() }),
    };
    this.#listener?.edited(batchId, planned.call, originalArguments);
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

  /** What a command would get may have changed: who decides must see it. */
  refresh(): void {
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
    return requestFor(sheet, this.#parts.confinement());
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
      const command = call.arguments['command'];
      const runs = runsCommands(call.tool.declaration) && typeof command === 'string';
      const what = runs ? (prefix === null ? { command } : { prefix }) : {};
      const where = scope === 'workspace' ? { workspace: sheet.situation.workspace } : {};
      await this.#parts.confirmations.remember({ tool: call.toolName, ...what, ...where }, scope);
    }
  }
}

/** What it would do. A tool that can't say within a few seconds must not keep the sheet from opening. */
async function effectOf(call: ValidatedCall, situation: EffectSituation & PlanContext): Promise<Effect> {
  let timer: NodeJS.Timeout | undefined;
  const tooLong = new Promise<Effect>((resolve) => {
    timer = setTimeout(
      () =>
        resolve({
          kind: 'problem',
          message: 'Working out what this would do takes too long. The arguments are shown instead.',
        }),
      EFFECT_TIMEOUT_MS,
    );
  });
  try {
    return await Promise.race([call.tool.effect(call.parsed, situation), tooLong]);
  } catch (error) {
    return {
      kind: 'problem',
      message: error instanceof ToolFailure ? error.message : 'What this would do can’t be shown.',
    };
  } finally {
    clearTimeout(timer);
  }
}
