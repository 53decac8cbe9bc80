import { type Aftermath, type CallSummary, type ChangedFile, NO_AFTERMATH } from '#contract/vocabulary/calls.js';
import type { RecoveredBatch, RecoveredCall } from '#contract/window/recovery.js';
import { isNothingAllowed, parseNetworkCapabilities } from '#contract/vocabulary/network.js';
import { type Nature, NATURE_WORDS } from '#contract/vocabulary/nature.js';
import type { Failure } from '#contract/vocabulary/outcomes.js';
import { describeCarriedFiles } from '../../domain/text/carried-words.js';
import { interruptedFailure, MESSAGE_BROKE_OFF } from '../../domain/call/failures.js';
import type { OpenBatch, UnsettledCall } from '../../domain/ports/journal.js';
import type { SettledFacts } from '../../domain/call/journal-events.js';
import { emptyResult, settledState } from '../executor/ending.js';
import type { CrashFindings } from './crash-leftovers.js';
import { natureOf, unsettledCalls } from './unsettled-calls.js';

/**
 * The files that changed since a call began, and folders that were made; `complete`: whether that is all of them; those that are
 * foreign.
 */
export interface ChangedSince {
  readonly changed: readonly ChangedFile[];
  readonly createdFolders: readonly string[];
  readonly complete: boolean;
  readonly foreign: NonNullable<SettledFacts['wroteForeign']>;
}

export interface InterruptedCallsParts {
  /** Files of the workspace that changed since a call began (Unix ms). */
  readonly changedSince: (workspace: string, since: number) => Promise<ChangedSince>;
  /** Reads what a command had printed by then; null where nothing is kept. */
  readonly partialOutput: (callId: string) => Promise<string | null>;
}

/** The calls that a crash interrupted, and what was found of each: its report for the person, and the end that it gets. */
export class InterruptedCalls {
  readonly #parts: InterruptedCallsParts;
  readonly #found = new Map<string, CrashFindings>();
  /** The file changes found, by call that could write to its folder. */
  readonly #changed = new Map<string, ChangedSince>();

  constructor(parts: InterruptedCallsParts) {
    this.#parts = parts;
  }

  note(callId: string, what: CrashFindings): void {
    this.#found.set(callId, { ...this.#found.get(callId), ...what });
  }

  /** Finds what changed since the calls began, at once: later it would include what the person changed. */
  async findChangedFiles(open: readonly OpenBatch[]): Promise<void> {
    for (const batch of open)
      for (const { summary } of unsettledCalls(batch)) {
        const { callId, executingSince } = summary;
        if (executingSince === null || this.#found.get(callId)?.couldWrite !== true) continue;
        this.#changed.set(callId, await this.#parts.changedSince(batch.workspace, executingSince));
      }
  }

  /** Says what became of the calls of a batch, for the person who decides. */
  async report(batch: OpenBatch): Promise<RecoveredBatch> {
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
    // A process of which nobody could say what became of it may still run.
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

  /** The end of a call that was on its way. */
  interruption(call: UnsettledCall): SettledFacts {
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

  /** The end of a call that waited for a decision which nobody can make. */
  undecided({ summary: { callId } }: UnsettledCall): SettledFacts {
    const failure: Failure = { code: 'NoDecision', message: UNDECIDED };
    const result = { ...emptyResult(failure.message), aftermath: this.#aftermath(callId) };
    return { callId, state: settledState(failure, null), failure, result, durationMs: null };
  }
}

const NOTHING_CHANGED: ChangedSince = { changed: [], createdFolders: [], complete: true, foreign: [] };

const UNDECIDED =
  'Gatehouse stopped while this call waited for an answer, and started again without a window: nobody can be asked, and it did not run.';

function notStarted({ capabilities }: UnsettledCall): string {
  // A yes is for one run: who asks again is asked again, with nothing allowed in advance.
  const isAllowed = !isNothingAllowed(parseNetworkCapabilities(capabilities)) && capabilities.includes('process.run');
  const more = isAllowed ? ' That it may use the network was for this call only, and ended with it.' : '';
  return `Gatehouse stopped before this call was started. It did not run.${more}`;
}

const finished = (call: CallSummary, nature: Nature, changedFiles: RecoveredCall['changedFiles']): RecoveredCall => ({
  call,
  nature,
  foundAs: 'finished',
  began: call.executingSince,
  process: null,
  changedFiles,
  partialOutput: null,
});
