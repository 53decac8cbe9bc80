import { type Aftermath, type CallSummary, type ChangedFile, NO_AFTERMATH } from '#contract/vocabulary/calls.js';
import type { RecoveredBatch, RecoveredCall, RecoveryReport } from '#contract/window/recovery.js';
import { isNothingAllowed, parseNetworkCapabilities } from '#contract/vocabulary/network.js';
import { type Nature, NATURE_WORDS } from '#contract/vocabulary/nature.js';
import type { Failure } from '#contract/vocabulary/outcomes.js';
import { PRIORITIES } from '../../domain/call/call-options.js';
import { describeCarriedFiles } from '../../domain/text/carried-words.js';
import { interruptedFailure, MESSAGE_BROKE_OFF } from '../../domain/call/failures.js';
import type { Journal, OpenBatch, UnsettledCall } from '../../domain/ports/journal.js';
import type { JournalEvent, SettledFacts } from '../../domain/call/journal-events.js';
import type { Batch } from '../../domain/ports/gate/gate.js';
import { Listeners } from '../../platform/listeners.js';
import { BatchRun } from '../executor/batch/batch-run.js';
import type { SituationOf } from '../executor/batch/batches.js';
import { BatchSituation } from '../executor/batch/batch-situation.js';
import { emptyResult, settledState } from '../executor/ending.js';
import type { Orchestrator } from '../executor/orchestrator.js';
import { settleInterrupted } from '../executor/settle.js';
import { EndedCalls } from './ended-calls.js';
import {
  type CrashContext,
  cleanUpCrash,
  type CrashCleanups,
  type CrashFindings,
  type InterruptedCall,
} from './crash-leftovers.js';

export interface RecoveryParts {
  readonly journal: Journal;
  readonly orchestrator: Pick<Orchestrator, 'hold' | 'release' | 'resume' | 'tellEnded'>;
  /** Files of the workspace that changed since a call began (Unix ms). */
  readonly changedSince: (workspace: string, since: number) => Promise<ChangedSince>;
  /** Reads what a command had printed by then; null where nothing is kept. */
  readonly partialOutput: (callId: string) => Promise<string | null>;
  readonly publish: (report: RecoveryReport | null) => void;
  /** Set where nobody could decide. */
  readonly unattended: boolean;
  /** Reports a cleanup that failed and stops nothing. */
  readonly onTrouble: (what: string, error: unknown) => void;
}

/** The files that changed since a call began; `complete`: whether that is all of them; those that are foreign. */
export interface ChangedSince {
  readonly changed: readonly ChangedFile[];
  readonly complete: boolean;
  readonly foreign: NonNullable<SettledFacts['wroteForeign']>;
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
  readonly #found = new Map<string, CrashFindings>();
  /** The file changes found, by call that could write to its folder. */
  readonly #changed = new Map<string, ChangedSince>();
  readonly #decided = new Listeners<[choice: 'resume' | 'discard', batches: readonly OpenBatch[]]>();
  readonly #resumed = new Listeners<[left: OpenBatch, batch: Batch]>();

  constructor(parts: RecoveryParts) {
    this.#parts = parts;
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
      found: (callId, what) => void this.#found.set(callId, { ...this.#found.get(callId), ...what }),
    };
    await cleanUpCrash(clearings, crash, onTrouble);
    // With what was found in answers that broke off.
    const open = journal.openBatches();
    await this.#findChangedFiles(open);
    const over = open.filter((batch) => unsettledCalls(batch).length === 0);
    if (over.length > 0) journal.append(over.map(({ batchId }): JournalEvent => ({ type: 'batch-closed', batchId })));
    this.#unfinished = open.filter((batch) => unsettledCalls(batch).some(inProgress));
    this.#waiting = open.filter((batch) => unsettledCalls(batch).some((call) => !inProgress(call)));
    if (this.#parts.unattended) return this.#decideAlone();
    if (this.#unfinished.length === 0) return;
    this.#parts.orchestrator.hold();
    this.#parts.publish({
      stoppedAt: lastKnownRunning(journal.lastAlive, this.#unfinished),
      batches: await Promise.all(this.#unfinished.map((batch) => this.#reportBatch(batch))),
    });
  }

  /** Finds what changed since the calls began, at once: later it would include what the person changed. */
  async #findChangedFiles(open: readonly OpenBatch[]): Promise<void> {
    for (const batch of open)
      for (const { summary } of unsettledCalls(batch)) {
        const { callId, executingSince } = summary;
        if (executingSince === null || this.#found.get(callId)?.couldWrite !== true) continue;
        this.#changed.set(callId, await this.#parts.changedSince(batch.workspace, executingSince));
      }
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

  /**
   * Ends the waiting calls whose arguments held a secret that could not be kept: nobody can be asked about them again.
   */
  #endLost(open: readonly OpenBatch[]): void {
    const lost = open.flatMap(unsettledCalls).filter((call) => call.lost && !inProgress(call));
    const failure = interruptedFailure(LOST);
    const result = emptyResult(failure.message);
    const ended = lost.map(({ summary: { callId } }) => ({
      interrupted: { callId, state: 'ABORTED' as const, failure, result, durationMs: null },
    }));
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
        .map((call) => ({ interrupted: this.#interruption(call) })),
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
        .map((call) => ({ interrupted: inProgress(call) ? this.#interruption(call) : this.#undecided(call) })),
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

  #undecided({ summary: { callId } }: UnsettledCall): SettledFacts {
    const failure: Failure = { code: 'NoDecision', message: UNDECIDED };
    const result = { ...emptyResult(failure.message), aftermath: this.#aftermath(callId) };
    return { callId, state: settledState(failure, null), failure, result, durationMs: null };
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
          // It is the version that it was to run, whatever stands beside it by now.
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

  async #reportBatch(batch: OpenBatch): Promise<RecoveredBatch> {
    const calls = await Promise.all(
      batch.calls.map(async (each): Promise<RecoveredCall> =>
        each.settled
          ? finished(each.summary, natureOf(each.summary), each.result.changedFiles)
          : this.#reportUnsettled(each.call),
      ),
    );
    const { door, client, agent, tenant, user } = batch.asker;
    return { batchId: batch.batchId, door, client, agent, tenant, user, calls };
  }

  async #reportUnsettled(call: UnsettledCall): Promise<RecoveredCall> {
    const { summary } = call;
    // What reads left nothing, and a file tool's changes were rolled back; what ran elsewhere touched nothing here.
    const nature = natureOf(summary);
    if (summary.state !== 'EXECUTING') {
      return {
        call: summary,
        nature,
        foundAs: 'not-started',
        began: null,
        process: null,
        changedFiles: [],
        partialOutput: null,
      };
    }
    // Of which nobody could say what became of it, it may still run.
    const process = call.process === null ? 'none' : (this.#found.get(summary.callId)?.process ?? 'alive');
    const partialOutput = await this.#parts.partialOutput(summary.callId);
    const { changed: changedFiles } = this.#changed.get(summary.callId) ?? NOTHING_CHANGED;
    return {
      call: summary,
      nature,
      foundAs: 'may-have-run',
      began: summary.executingSince,
      process,
      changedFiles,
      partialOutput,
    };
  }

  #interruption(call: UnsettledCall): SettledFacts {
    const { summary } = call;
    const started = summary.state === 'EXECUTING';
    const { interrupted: said, rolledBack } = NATURE_WORDS[natureOf(summary)];
    const failure = started ? interruptedFailure(said) : this.#notStarted(call);
    const { changed: changedFiles, foreign: wroteForeign } = this.#changed.get(summary.callId) ?? NOTHING_CHANGED;
    return {
      callId: summary.callId,
      state: started && rolledBack !== null ? 'ROLLED_BACK' : 'ABORTED',
      failure,
      result: { ...emptyResult(failure.message), changedFiles, aftermath: this.#aftermath(summary.callId) },
      durationMs: null,
      wroteForeign,
    };
  }

  #notStarted(call: UnsettledCall): Failure {
    const brokeOff = this.#found.get(call.summary.callId)?.brokeOff ?? false;
    return brokeOff ? MESSAGE_BROKE_OFF : interruptedFailure(notStarted(call));
  }

  #aftermath(callId: string): Aftermath {
    const { putAside = [], carried } = this.#found.get(callId) ?? {};
    const warnings = describeCarriedFiles(carried);
    const { complete: changesComplete } = this.#changed.get(callId) ?? NOTHING_CHANGED;
    if (putAside.length + warnings.length === 0 && changesComplete) return NO_AFTERMATH;
    return { ...NO_AFTERMATH, putAside, changesComplete, ...(warnings.length === 0 ? {} : { warnings }) };
  }
}

const NOTHING_CHANGED: ChangedSince = { changed: [], complete: true, foreign: [] };

const LOST =
  'Gatehouse stopped while this call waited. It did not run, and can’t be asked about again: its arguments held what looks ' +
  'like a secret, and without a key store of the system that is not kept. Ask again.';

const UNDECIDED =
  'Gatehouse stopped while this call waited for an answer, and started again without a window: nobody can be asked, and it did not run.';

function notStarted({ capabilities }: UnsettledCall): string {
  // A yes is for one run: who asks again is asked again, with nothing allowed in advance.
  const isAllowed = !isNothingAllowed(parseNetworkCapabilities(capabilities)) && capabilities.includes('process.run');
  const more = isAllowed ? ' That it may use the network was for this call only, and ended with it.' : '';
  return `Gatehouse stopped before this call was started. It did not run.${more}`;
}

/** The nature as it was recorded; where no tool has that name any more, the worst. */
const natureOf = ({ nature }: CallSummary): Nature => nature ?? 'command';

const finished = (call: CallSummary, nature: Nature, changedFiles: RecoveredCall['changedFiles']): RecoveredCall => ({
  call,
  nature,
  foundAs: 'finished',
  began: call.executingSince,
  process: null,
  changedFiles,
  partialOutput: null,
});

const unsettledCalls = (batch: OpenBatch): readonly UnsettledCall[] =>
  batch.calls.flatMap((each) => (each.settled ? [] : [each.call]));

/** The rank of the batch’s most urgent call; the lower goes first. */
const urgencyOf = (batch: OpenBatch): number =>
  Math.min(...unsettledCalls(batch).map(({ wanted }) => PRIORITIES.indexOf(wanted?.priority ?? 'normal')));

/**
 * Whether the call outlives a restart and had not begun: it waited for a place, a hook judged it, or it waited for the
 * person to decide about unfinished work. Where its arguments were lost it can't be asked for again.
 */
const isQueuedStill = ({ wanted, summary, lost }: UnsettledCall): boolean =>
  wanted?.detached === true && !lost && summary.awaiting === null && summary.state !== 'EXECUTING';

/** The stage at which a resumed call goes on. */
function resumeStage({ summary: { awaiting, state }, yes }: UnsettledCall) {
  if (awaiting !== null) return { awaiting };
  if (state === 'AUTHORIZED') return { awaiting: 'place', yes } as const;
  return { awaiting: 'planning', onRecord: state === 'DECLARED' ? 'received' : 'validated' } as const;
}

/** Whether the call was on its way, not merely waiting for the person. */
const inProgress = (call: UnsettledCall): boolean => call.summary.awaiting === null;

/**
 * When the app was last known to run. The recorded mark may be seconds old: whatever was recorded after it was recorded
 * by an app that ran.
 */
const lastKnownRunning = (marked: number | null, batches: readonly OpenBatch[]): number | null =>
  marked === null
    ? null
    : Math.max(
        marked,
        ...batches.flatMap(unsettledCalls).map(({ summary }) => summary.executingSince ?? summary.startedAt),
      );
