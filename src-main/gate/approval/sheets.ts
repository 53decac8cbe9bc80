import type { ApprovalRequest } from '#contract/window/approvals.js';
import type { AskingBatch, EffectSituation } from '../../domain/ports/gate/approval-desk.js';
import type { Agents } from '../../domain/ports/agents.js';
import type { Clock } from '../../domain/ports/clock.js';
import type { ConfinementState } from '../../domain/ports/command-runner.js';
import type { TermsSituation } from '../../domain/tool/terms.js';
import type { SheetCall } from './sheet-call.js';
import { inOrder, newSheet, requestFor, type Sheet, without } from './sheet.js';

/** What its asker sends so soon after the first call is on the sheet with it. */
const GATHERING_MS = 50;
/** So long what would be approved must have stood before the person, unchanged (ADR 0021). */
const STOOD_MS = 500;

export interface SheetParts {
  readonly clock: Clock;
  /** What this machine offers, as it was last found out. */
  readonly confinement: () => ConfinementState;
  /** What is in force now, for the calls of a batch; null where the batch is over. */
  readonly situation: (batchId: string) => EffectSituation | null;
  /** How the names of agents stand. */
  readonly statusOf: Agents['statusOf'];
  /** Resolves when what was received of a batch until now is here. */
  readonly takenIn: (batchId: string) => Promise<void>;
  readonly publish: (request: ApprovalRequest) => void;
  readonly gone: (batchId: string) => void;
}

/** What the window was last given of a sheet, and when what is decided by it was last another. */
interface Told {
  readonly digest: string;
  readonly at: number;
}

/** The sheets of all that ask: one an asker, and what came later behind it. Nothing is added to one that is drawn. */
export class Sheets {
  readonly #parts: SheetParts;
  /** Looks again at what waited behind a sheet, before it is drawn itself. */
  readonly #lookAgain: (sheet: Sheet) => Promise<unknown>;
  readonly #held = new Map<string, Sheet>();
  readonly #told = new Map<string, Told>();

  constructor(parts: SheetParts, lookAgain: (sheet: Sheet) => Promise<unknown>) {
    this.#parts = parts;
    this.#lookAgain = lookAgain;
  }

  /** Drawn or not. */
  get(batchId: string): Sheet | undefined {
    return this.#held.get(batchId);
  }

  all(): readonly Sheet[] {
    return [...this.#held.values()];
  }

  /** The one that the person sees. */
  drawn(batchId: string): Sheet | undefined {
    const sheet = this.#held.get(batchId);
    return sheet?.drawn === null ? undefined : sheet;
  }

  get requests(): readonly ApprovalRequest[] {
    return this.all()
      .filter(({ drawn }) => drawn !== null)
      .map((sheet) => this.request(sheet));
  }

  request(sheet: Sheet): ApprovalRequest {
    return requestFor(sheet, this.now(sheet), this.hasToken(sheet));
  }

  /** A rule can be for its agent: a name that no token stands for may be anybody’s the next time. */
  hasToken({ batch: { asker } }: Sheet): boolean {
    return asker.agent !== null && this.#parts.statusOf(asker.agent) === 'known';
  }

  /** What its calls would get if they were decided now. */
  now({ batch, situation }: Sheet): Omit<TermsSituation, 'network'> {
    const { config } = this.#parts.situation(batch.batchId) ?? situation;
    return { config, confinement: this.#parts.confinement() };
  }

  /** What is on it has not stood long enough to be approved. */
  isTooNew(batchId: string): boolean {
    const told = this.#told.get(batchId);
    return told === undefined || this.#parts.clock.monotonic() - told.at < STOOD_MS;
  }

  /** The sheet that an asker’s calls will be on: what it sends from now on for a moment is on it, too. */
  opened(batch: AskingBatch, situation: EffectSituation): Sheet {
    const open = this.#held.get(batch.batchId);
    if (open !== undefined) return open;
    const sheet = newSheet(batch, situation);
    this.#held.set(batch.batchId, sheet);
    setTimeout(() => void this.#drawFirst(batch.batchId), GATHERING_MS);
    return sheet;
  }

  /** On it while it is not drawn, behind it from then on. */
  add(batchId: string, shown: readonly SheetCall[], situation: EffectSituation): void {
    const sheet = this.#held.get(batchId);
    if (sheet === undefined) return;
    const more = new Map(shown.map((each) => [each.asked.call.callId, each]));
    if (sheet.drawn === null) this.put({ ...sheet, situation, calls: inOrder(sheet.calls, more) });
    else this.put({ ...sheet, behind: inOrder(sheet.behind, more) });
  }

  /** As it is now; the window is told with what else changed. */
  hold(sheet: Sheet): void {
    this.#held.set(sheet.batch.batchId, sheet);
  }

  put(sheet: Sheet): void {
    const { batchId } = sheet.batch;
    this.hold(sheet);
    if (sheet.drawn === null) return;
    const request = this.request(sheet);
    const { digest } = request;
    if (this.#told.get(batchId)?.digest !== digest)
      this.#told.set(batchId, { digest, at: this.#parts.clock.monotonic() });
    this.#parts.publish(request);
  }

  publishChanged(): void {
    for (const sheet of this.all()) {
      if (sheet.drawn !== null && this.#told.get(sheet.batch.batchId)?.digest !== this.request(sheet).digest)
        this.put(sheet);
    }
  }

  takeOff(callId: string): void {
    for (const sheet of this.all()) {
      if (sheet.calls.has(callId)) this.#left({ ...sheet, calls: without(sheet.calls, callId) });
      else if (sheet.behind.has(callId)) this.put({ ...sheet, behind: without(sheet.behind, callId) });
    }
  }

  /** Its calls are decided: what waited behind it is next. */
  decided(sheet: Sheet, approved: ReadonlyMap<string, SheetCall>): void {
    this.#left({ ...sheet, calls: new Map(), approved: inOrder(sheet.approved, approved) });
  }

  #left(sheet: Sheet): void {
    if (sheet.calls.size > 0 || sheet.drawn === null) return this.put(sheet);
    if (sheet.behind.size === 0) return this.remove(sheet.batch.batchId);
    this.put({ ...sheet, drawn: null, calls: sheet.behind, behind: new Map() });
    void this.#drawNext(sheet.batch.batchId);
  }

  remove(batchId: string): void {
    if (!this.#held.delete(batchId)) return;
    if (this.#told.delete(batchId)) this.#parts.gone(batchId);
  }

  async #drawFirst(batchId: string): Promise<void> {
    await this.#parts.takenIn(batchId);
    this.#draw(batchId);
  }

  async #drawNext(batchId: string): Promise<void> {
    const sheet = this.#held.get(batchId);
    try {
      if (sheet !== undefined) await this.#lookAgain(sheet);
    } finally {
      // Even where it could not be looked at again: nothing that waits is lost, and a decision looks once more.
      this.#draw(batchId);
    }
  }

  #draw(batchId: string): void {
    const sheet = this.#held.get(batchId);
    if (sheet === undefined || sheet.drawn !== null) return;
    // Everything was taken back before anybody saw it.
    if (sheet.calls.size === 0) return this.remove(batchId);
    const drawings = sheet.drawings + 1;
    this.put({ ...sheet, drawn: drawings, drawings });
  }
}
