import type { CallSummary } from '#contract/vocabulary/calls.js';
import type { RecoveryReport } from '#contract/window/recovery.js';
import { interruptedFailure } from '../../domain/call/failures.js';
import type { Journal, OpenBatch, UnsettledCall } from '../../domain/ports/journal.js';
import type { JournalEvent } from '../../domain/call/journal-events.js';
import type { Batch } from '../../domain/ports/gate/gate.js';
import { Listeners } from '../../platform/listeners.js';
import { BatchRun } from '../executor/batch/batch-run.js';
import type { SituationOf } from '../executor/batch/batches.js';
import { BatchSituation } from '../executor/batch/batch-situation.js';
import { emptyResult } from '../executor/ending.js';
import type { Orchestrator } from '../executor/orchestrator.js';
import { settleInterrupted } from '../executor/settle.js';
import { EndedCalls } from './ended-calls.js';
import { type CrashContext, cleanUpCrash, type CrashCleanups, type InterruptedCall } from './crash-leftovers.js';
import { InterruptedCalls, type InterruptedCallsParts } from './interrupted-calls.js';
import {
  inProgress,
  isQueuedStill,
  lastKnownRunning,
  natureOf,
  resumeStage,
  unsettledCalls,
  urgencyOf,
  whyLost,
} from './unsettled-calls.js';

export interface RecoveryParts extends InterruptedCallsParts {
  readonly journal: Journal;
  readonly orchestrator: Pick<Orchestrator, 'hold' | 'release' | 'resume' | 'tellEnded'>;
  readonly publish: (report: RecoveryReport | null) => void;
  /** Set where nobody could decide. */
  readonly unattended: boolean;
  /** Reports a cleanup that failed and stops nothing. */
  readonly onTrouble: (what: string, error: unknown) => void;
}

/**
 * Runs at start, before anything else: cleans up what a crash left, wing by wing (crash-leftovers.ts), and tells the
 * person what was in progress. Nothing is ever run again. It can be killed at any point: every step can be repeated,
 * and nothing is settled before the person chose.
 */
export class Recovery {
  readonly #parts: RecoveryParts;
  #unfinished: readonly OpenBatch[] = [];
  #waiting: readonly OpenBatch[] = [];
  /** The calls that had not begun, and are to be queued again in their folders. */
  #queued: readonly OpenBatch[] = [];
  readonly #ended = new EndedCalls();
  /** The folders that are open, and what is in force there. */
  readonly #open = new Map<string, SituationOf>();
  readonly #interrupted: InterruptedCalls;
  readonly #decided = new Listeners<[choice: 'resume' | 'discard', batches: readonly OpenBatch[]]>();
  readonly #resumed = new Listeners<[left: OpenBatch, batch: Batch]>();

  constructor(parts: RecoveryParts) {
    this.#parts = parts;
    this.#interrupted = new InterruptedCalls(parts);
  }

  async begin(clearings: CrashCleanups): Promise<void> {
    const { journal, onTrouble } = this.#parts;
    this.#endLost(journal.openBatches());
    const before = journal.openBatches();
    const unsettled = new Set(before.flatMap((batch) => unsettledCalls(batch).map(({ summary }) => summary.callId)));
    // A journal that begins with this start knows no call: then nothing proves that a change was ever acknowledged.
    const known = journal.lastAlive !== null;
    const crash: CrashContext = {
      interrupted: before.flatMap((batch) => this.#interruptedIn(batch)),
      wasAcknowledged: (callId) => known && !unsettled.has(callId),
      found: (callId, what) => this.#interrupted.note(callId, what),
    };
    await cleanUpCrash(clearings, crash, onTrouble);
    // The open batches, with those that the clean-up made of answers that broke off.
    const open = journal.openBatches();
    await this.#interrupted.findChangedFiles(open);
    const over = open.filter((batch) => unsettledCalls(batch).length === 0);
    if (over.length > 0) journal.append(over.map(({ batchId }): JournalEvent => ({ type: 'batch-closed', batchId })));
    this.#unfinished = open.filter((batch) => unsettledCalls(batch).some(inProgress));
    this.#waiting = open.filter((batch) => unsettledCalls(batch).some((call) => !inProgress(call)));
    if (this.#parts.unattended) return this.#decideAlone();
    if (this.#unfinished.length === 0) return;
    this.#parts.orchestrator.hold();
    this.#parts.publish({
      stoppedAt: lastKnownRunning(journal.lastAlive, this.#unfinished),
      batches: await Promise.all(this.#unfinished.map((batch) => this.#interrupted.report(batch))),
    });
  }

  #interruptedIn(batch: OpenBatch): readonly InterruptedCall[] {
    return unsettledCalls(batch)
      .filter(({ summary }) => summary.state === 'EXECUTING')
      .map(({ process, summary }) => ({
        callId: summary.callId,
        workspace: batch.workspace,
        process,
        nature: natureOf(summary),
      }));
  }

  /** Ends the waiting calls that nobody can be asked about again; there is nothing to decide about them. */
  #endLost(open: readonly OpenBatch[]): void {
    const ended = open.flatMap((batch) =>
      unsettledCalls(batch).flatMap((call) => {
        const why = whyLost(batch, call);
        if (why === null) return [];
        const failure = interruptedFailure(why);
        const result = emptyResult(failure.message);
        const { callId } = call.summary;
        return [{ interrupted: { callId, state: 'ABORTED' as const, failure, result, durationMs: null } }];
      }),
    );
    if (ended.length > 0) this.#noteEnded(open, settleInterrupted(this.#parts.journal, ended));
  }

  #noteEnded(batches: readonly OpenBatch[], summaries: readonly CallSummary[]): void {
    this.#ended.add(batches, summaries);
    this.#ended.tell(this.#open, this.#parts.orchestrator);
  }

  get isOpen(): boolean {
    return this.#unfinished.length > 0;
  }

  /** The batches that the person is still to decide about. */
  get unfinished(): readonly OpenBatch[] {
    return this.#unfinished;
  }

  /** The batches that wait for the person; they are asked again where their folder is open. */
  get waiting(): readonly OpenBatch[] {
    return this.#waiting;
  }

  /** Listeners hear the choice once it is on record. */
  onDecided(listener: (choice: 'resume' | 'discard', batches: readonly OpenBatch[]) => void): () => void {
    return this.#decided.add(listener);
  }

  /** Listeners hear when calls that waited are on their way again. */
  onResumed(listener: (left: OpenBatch, batch: Batch) => void): () => void {
    return this.#resumed.add(listener);
  }

  /** Applies the person’s choice. Either way every call ends with exactly one result. */
  decide(choice: 'resume' | 'discard'): void {
    const goesOn = (call: UnsettledCall): boolean => choice === 'resume' && isQueuedStill(call);
    const facts = this.#unfinished.flatMap((batch) => [
      ...unsettledCalls(batch)
        .filter((call) => inProgress(call) && !goesOn(call))
        .map((call) => ({ interrupted: this.#interrupted.interruption(call) })),
      ...(choice === 'discard' ? [{ type: 'batch-discarded', batchId: batch.batchId } as const] : []),
      ...(unsettledCalls(batch).every((call) => inProgress(call) && !goesOn(call))
        ? [{ type: 'batch-closed', batchId: batch.batchId } as const]
        : []),
    ]);
    // Throws where it can't be recorded: then the question stays open.
    this.#noteEnded(this.#unfinished, settleInterrupted(this.#parts.journal, facts));
    this.#applyDecision(
      choice,
      this.#unfinished.filter((batch) => unsettledCalls(batch).some(goesOn)),
    );
  }

  #applyDecision(choice: 'resume' | 'discard', queued: readonly OpenBatch[]): void {
    const decided = this.#unfinished;
    this.#unfinished = [];
    this.#queued = queued;
    this.#parts.publish(null);
    this.#decided.tell(choice, decided);
    if (this.#queued.length === 0) return this.#parts.orchestrator.release();
    // Before anything that is asked for now.
    void this.#queueAgain().finally(() => this.#parts.orchestrator.release());
  }

  /**
   * Queues calls again whose folder is open: in their old order, those of more priority first, as they would have gone.
   */
  async #queueAgain(): Promise<void> {
    const here = this.#queued.filter(({ workspace }) => this.#open.has(workspace));
    this.#queued = this.#queued.filter((batch) => !here.includes(batch));
    for (const left of here.toSorted((one, other) => urgencyOf(one) - urgencyOf(other))) {
      const situation = this.#open.get(left.workspace);
      if (situation !== undefined) await this.#resume(left, unsettledCalls(left).filter(isQueuedStill), situation);
    }
  }

  /**
   * Decides where nobody can be asked: calls that had begun are interrupted, those that waited for the person have no
   * decision, and those that can still wait for a place are queued again. Results that were recorded stay, and nothing
   * runs again.
   */
  #decideAlone(): void {
    const all = [...new Set([...this.#unfinished, ...this.#waiting])];
    const facts = all.flatMap((batch) => [
      ...unsettledCalls(batch)
        .filter((call) => !isQueuedStill(call))
        .map((call) => ({
          interrupted: inProgress(call) ? this.#interrupted.interruption(call) : this.#interrupted.undecided(call),
        })),
      ...(unsettledCalls(batch).some(isQueuedStill) ? [] : [{ type: 'batch-closed', batchId: batch.batchId } as const]),
    ]);
    if (facts.length > 0) this.#noteEnded(all, settleInterrupted(this.#parts.journal, facts));
    this.#waiting = [];
    if (this.#unfinished.length > 0)
      this.#applyDecision(
        'resume',
        all.filter((batch) => unsettledCalls(batch).some(isQueuedStill)),
      );
  }

  /** Asks again for calls that waited for the person in this folder, now that it is open. */
  async folderOpened(folder: string, situation: SituationOf): Promise<void> {
    this.#open.set(folder, situation);
    this.#ended.tell(this.#open, this.#parts.orchestrator);
    const here = this.#waiting.filter(({ workspace }) => workspace === folder);
    this.#waiting = this.#waiting.filter((batch) => !here.includes(batch));
    for (const left of here) {
      const waiting = unsettledCalls(left).filter((call) => !inProgress(call));
      await this.#resume(left, waiting, situation);
    }
    await this.#queueAgain();
  }

  /** Forgets the folder: nothing happens there any more. */
  folderClosed(folder: string): void {
    this.#open.delete(folder);
  }

  async #resume(left: OpenBatch, calls: readonly UnsettledCall[], situation: SituationOf): Promise<void> {
    const { batchId, asker, workspace: folder } = left;
    const since = Math.min(...calls.map(({ summary }) => summary.startedAt));
    const batch = new BatchRun({
      batchId,
      asker,
      since,
      joinable: false,
      capacityBytes: null,
      situation: new BatchSituation(() => situation(folder, asker)),
      recorded: true,
    });
    const resumed = await this.#parts.orchestrator.resume(
      batch,
      calls.map((call) => ({
        declared: {
          callId: call.summary.callId,
          batchId,
          index: call.index,
          requestId: call.requestId,
          toolName: call.summary.tool,
          asker,
          rawArguments: call.arguments,
          // The call runs the version that it was planned for, whatever stands beside that by now.
          ...(call.wanted === null
            ? {}
            : { wanted: { ...call.wanted, versions: call.summary.version ?? call.wanted.versions } }),
        },
        originalArguments: call.originalArguments,
        ...resumeStage(call),
      })),
    );
    this.#resumed.tell(left, resumed);
  }
}
