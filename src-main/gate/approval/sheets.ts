import type { ApprovalRequest } from '#contract/window/approvals.js';
import type { BatchForApproval, EffectSituation } from '../../domain/ports/gate/approval-desk.js';
import type { Agents } from '../../domain/ports/agents.js';
import type { Clock } from '../../domain/ports/clock.js';
import type { ConfinementState } from '../../domain/ports/command-runner.js';
import type { TermsSituation } from '../../domain/tool/terms.js';
import type { SheetCall } from './sheet-call.js';
import { mergeInOrder, newSheet, buildApprovalRequest, type Sheet, removeCall } from './sheet.js';

/** The time after the first call within which further calls of its asker join the same sheet. */
const GATHER_MS = 50;
/** The time for which a sheet must have been shown unchanged before it can be approved (ADR 0021). */
const MIN_SHOWN_MS = 500;

export interface SheetsDeps {
  readonly clock: Clock;
  /** The confinement that this machine offers, as last probed. */
  readonly confinement: () => ConfinementState;
  /** The configuration and policy in force now for the calls of a batch; null where the batch is over. */
  readonly situation: (batchId: string) => EffectSituation | null;
  /** Whether the name of an agent is known, unknown or revoked. */
  readonly statusOf: Agents['getStatus'];
  /** Resolves when everything received of a batch until now has been planned. */
  readonly whenPlanned: (batchId: string) => Promise<void>;
  readonly publish: (request: ApprovalRequest) => void;
  readonly gone: (batchId: string) => void;
}

/** The digest that the window was last given of a sheet, and since when it has been that one. */
interface ShownDigest {
  readonly digest: string;
  readonly at: number;
}

/** The sheets of all askers: one an asker, with later calls behind it. Nothing is added to a sheet that is drawn. */
export class Sheets {
  readonly #parts: SheetsDeps;
  /** Re-judges the calls that waited behind a sheet, before they are drawn themselves. */
  readonly #recheck: (sheet: Sheet) => Promise<unknown>;
  readonly #held = new Map<string, Sheet>();
  readonly #shown = new Map<string, ShownDigest>();

  constructor(parts: SheetsDeps, lookAgain: (sheet: Sheet) => Promise<unknown>) {
    this.#parts = parts;
    this.#recheck = lookAgain;
  }

  /** Finds a sheet, drawn or not. */
  get(batchId: string): Sheet | undefined {
    return this.#held.get(batchId);
  }

  all(): readonly Sheet[] {
    return [...this.#held.values()];
  }

  /** Finds the sheet if the person sees it. */
  drawn(batchId: string): Sheet | undefined {
    const sheet = this.#held.get(batchId);
    return sheet?.drawn === null ? undefined : sheet;
  }

  request(sheet: Sheet): ApprovalRequest {
    return buildApprovalRequest(sheet, this.now(sheet), this.hasToken(sheet));
  }

  /** Whether a rule can be made for its agent: a name without a token may be anybody’s the next time. */
  hasToken({ batch: { asker } }: Sheet): boolean {
    return asker.agent !== null && this.#parts.statusOf(asker.agent) === 'known';
  }

  /** The situation by which the calls of a sheet would get their terms if they were decided now. */
  now({ batch, situation }: Sheet): Omit<TermsSituation, 'network'> {
    const { config } = this.#parts.situation(batch.batchId) ?? situation;
    return { config, confinement: this.#parts.confinement() };
  }

  /** Whether the sheet has not been shown long enough to be approved. */
  isTooNew(batchId: string): boolean {
    const told = this.#shown.get(batchId);
    return told === undefined || this.#parts.clock.monotonic() - told.at < MIN_SHOWN_MS;
  }

  /** Opens the sheet that an asker’s calls will be on; calls that it sends within a moment are on it, too. */
  opened(batch: BatchForApproval, situation: EffectSituation): Sheet {
    const open = this.#held.get(batch.batchId);
    if (open !== undefined) return open;
    const sheet = newSheet(batch, situation);
    this.#held.set(batch.batchId, sheet);
    setTimeout(() => void this.#drawFirst(batch.batchId), GATHER_MS);
    return sheet;
  }

  /** Adds calls: onto the sheet while it is not drawn, behind it from then on. */
  add(batchId: string, shown: readonly SheetCall[], situation: EffectSituation): void {
    const sheet = this.#held.get(batchId);
    if (sheet === undefined) return;
    const more = new Map(shown.map((each) => [each.asked.call.callId, each]));
    if (sheet.drawn === null) this.put({ ...sheet, situation, calls: mergeInOrder(sheet.calls, more) });
    else this.put({ ...sheet, behind: mergeInOrder(sheet.behind, more) });
  }

  /** Stores the sheet as it is now; the window is told later, with whatever else changed. */
  hold(sheet: Sheet): void {
    this.#held.set(sheet.batch.batchId, sheet);
  }

  put(sheet: Sheet): void {
    const { batchId } = sheet.batch;
    this.hold(sheet);
    if (sheet.drawn === null) return;
    const request = this.request(sheet);
    const { digest } = request;
    if (this.#shown.get(batchId)?.digest !== digest)
      this.#shown.set(batchId, { digest, at: this.#parts.clock.monotonic() });
    this.#parts.publish(request);
  }

  publishChanged(): void {
    for (const sheet of this.all()) {
      if (sheet.drawn !== null && this.#shown.get(sheet.batch.batchId)?.digest !== this.request(sheet).digest)
        this.put(sheet);
    }
  }

  takeOff(callId: string): void {
    for (const sheet of this.all()) {
      if (sheet.calls.has(callId)) this.#putOrRemove({ ...sheet, calls: removeCall(sheet.calls, callId) });
      else if (sheet.behind.has(callId)) this.put({ ...sheet, behind: removeCall(sheet.behind, callId) });
    }
  }

  /** Removes the decided calls; those that waited behind the sheet come next. */
  decided(sheet: Sheet, approved: ReadonlyMap<string, SheetCall>): void {
    this.#putOrRemove({ ...sheet, calls: new Map(), approved: mergeInOrder(sheet.approved, approved) });
  }

  #putOrRemove(sheet: Sheet): void {
    if (sheet.calls.size > 0 || sheet.drawn === null) return this.put(sheet);
    if (sheet.behind.size === 0) return this.remove(sheet.batch.batchId);
    this.put({ ...sheet, drawn: null, calls: sheet.behind, behind: new Map() });
    void this.#drawNext(sheet.batch.batchId);
  }

  remove(batchId: string): void {
    if (!this.#held.delete(batchId)) return;
    if (this.#shown.delete(batchId)) this.#parts.gone(batchId);
  }

  async #drawFirst(batchId: string): Promise<void> {
    await this.#parts.whenPlanned(batchId);
    this.#draw(batchId);
  }

  async #drawNext(batchId: string): Promise<void> {
    const sheet = this.#held.get(batchId);
    try {
      if (sheet !== undefined) await this.#recheck(sheet);
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
