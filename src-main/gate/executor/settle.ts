import type { CallSummary, ChangedFile } from '#contract/vocabulary/calls.js';
import { CODE_MEANINGS, type Failure } from '#contract/vocabulary/outcomes.js';
import { toVisibleLine } from '#contract/vocabulary/text/visible-text.js';
import { journalUnavailableFailure } from '../../domain/call/failures.js';
import type { JournalEvent, SettledEvent, SettledFacts, SettledResult } from '../../domain/call/journal-events.js';
import { settledEvent } from '../../domain/call/settled-event.js';
import type { CommitReceipt, Journal, JournalUnavailableError, DeferredWrite } from '../../domain/ports/journal.js';
import type { AttributedText, ForeignFile } from '../../domain/policy/given-texts.js';
import type { FailedOutput, ToolDeclaration } from '../../domain/tool/tool.js';
import type { BatchRun } from './batch/batch-run.js';
import type { CallRun } from './batch/call-run.js';
import type { StageEvent } from './batch/call-stage.js';
import { failureResult, settledState } from './ending.js';
import { isUnavailable, type Recorder } from './recorder.js';

/** How a call ended: not yet written, and nobody was told. */
export interface CallEnd {
  readonly ends: CallRun;
  readonly failure: Failure | null;
  readonly result: SettledResult;
  /** The result for its caller, where that differs from the recorded one. */
  readonly answer?: SettledResult;
  readonly durationMs: number | null;
  /** The declaration of a tool that was started; null for a call that never was. */
  readonly ran: ToolDeclaration | null;
  /** The text that a model is given with the result, for its taint. */
  readonly said?: AttributedText | null;
  readonly wroteForeign?: readonly ForeignFile[];
}

/** Facts in the order in which they are written, the ends of calls among them. */
export type GateFacts = ReadonlyArray<JournalEvent | CallEnd>;

/** Ends that are on the disk. */
export interface WrittenEnds {
  readonly proof: CommitReceipt;
  readonly ends: readonly CallEnd[];
}

type WrittenLater = Promise<WrittenEnds | JournalUnavailableError>;

/**
 * The one place that ends a call: its end is written, or said to be unrecorded; then its door gets it, and only then
 * what it held is given back. Every call gets exactly one result.
 */
export class Settle {
  readonly #recorder: Recorder;

  constructor(recorder: Recorder) {
    this.#recorder = recorder;
  }

  /**
   * Builds the end of a call that has not run. `couldHaveRun`: the tool's declaration, where the call ends as if it had
   * failed while running.
   */
  refusal(batch: BatchRun, run: CallRun, raw: Failure, couldHaveRun: ToolDeclaration | null = null): CallEnd {
    const { withoutSecrets } = this.#recorder;
    const failure = withoutSecrets.failure(raw);
    const result = withoutSecrets.resultNow(failureResult(failure, run.declared.toolName, null, batch.outputLimit));
    batch.gives(result.content);
    return { ends: run, failure, result, durationMs: null, ran: couldHaveRun };
  }

  refuse(batch: BatchRun, run: CallRun, failure: Failure): void {
    this.settle(batch, [this.refusal(batch, run, failure)]);
  }

  /** Takes a call a step on. One that was taken back meanwhile ends here instead. */
  step(batch: BatchRun, run: CallRun, event: StageEvent): void {
    if (run.isSettled) return;
    if (run.stoppedFor === null) run.advance(event);
    else this.refuse(batch, run, run.stoppedFor);
  }

  settle(batch: BatchRun, facts: GateFacts): CommitReceipt | JournalUnavailableError {
    return this.#told(batch, facts, writtenOr(this.#recorder.append(eventsOf(facts)), facts));
  }

  async settleTogether(batch: BatchRun, facts: GateFacts): Promise<CommitReceipt | JournalUnavailableError> {
    return this.#told(batch, facts, await this.write(facts));
  }

  #told(
    batch: BatchRun,
    facts: GateFacts,
    written: WrittenEnds | JournalUnavailableError,
  ): CommitReceipt | JournalUnavailableError {
    if (!isUnavailable(written)) {
      this.tell(batch, written);
      return written.proof;
    }
    const failure = journalUnavailableFailure(written.message);
    for (const fact of facts) if ('ends' in fact) this.unrecorded(batch, fact.ends, failure);
    return written;
  }

  /** Ends a call that the gate itself broke. If its state allows no such end, the caller is told all the same. */
  broken(batch: BatchRun, run: CallRun, failure: Failure, ran: ToolDeclaration | null): void {
    if (!run.isOnRecord) return this.unrecorded(batch, run, failure);
    const result = failureResult(failure, run.declared.toolName, null, batch.outputLimit);
    try {
      this.settle(batch, [{ ends: run, failure, result, durationMs: null, ran }]);
    } catch (error) {
      run.finish({
        summary: unrecordedSummary(batch, run, failure),
        failure,
        result: withoutWithheld(result),
        recorded: false,
      });
      throw error;
    }
  }

  /**
   * Writes ends without telling anybody, for callers that have something to undo where it can't be written. They must
   * tell.
   */
  async write(facts: GateFacts): Promise<WrittenEnds | JournalUnavailableError> {
    return writtenOr(await this.#recorder.appendTogether(eventsOf(facts)), facts);
  }

  /** The same, a moment later or with what is written next. */
  writeSoon(
    facts: GateFacts,
    lost: (problem: string) => void,
  ): { readonly started: DeferredWrite; readonly over: WrittenLater } {
    const { proof, written } = this.#recorder.appendSoon(eventsOf(facts), lost);
    return { started: proof, over: written.then((end) => writtenOr(end, facts)) };
  }

  tell(batch: BatchRun, { proof, ends }: WrittenEnds): void {
    for (const { ends: run, failure, result, answer = result } of ends) {
      if (run.isSettled) continue;
      const summary = proof.calls.find(({ callId }) => callId === run.callId) ?? unrecordedSummary(batch, run, failure);
      run.finish({ summary, failure, result: withoutWithheld(answer), recorded: true });
    }
  }

  /**
   * The journal could not take it: the caller still gets exactly one result, and it says so. A call that the journal
   * knows gets its end there as soon as writing works again.
   */
  unrecorded(
    batch: BatchRun,
    run: CallRun,
    raw: Failure,
    output: FailedOutput | null = null,
    stayed: readonly ChangedFile[] = [],
  ): void {
    if (run.isSettled) return;
    const { withoutSecrets } = this.#recorder;
    const failure = withoutSecrets.failure(raw);
    const said = failureResult(failure, run.declared.toolName, output, batch.outputLimit);
    const result = withoutSecrets.resultNow({ ...said, changedFiles: [...said.changedFiles, ...stayed] });
    if (run.isOnRecord) this.#recorder.owe(eventOf({ ends: run, failure, result, durationMs: null, ran: null }));
    run.finish({
      summary: unrecordedSummary(batch, run, failure),
      failure,
      result: withoutWithheld(result),
      recorded: false,
    });
  }
}

/**
 * Records the ends of calls that a crash interrupted; they have no door any more that could be told. Throws where they
 * can't be written.
 */
export function settleInterrupted(
  journal: Pick<Journal, 'append'>,
  facts: ReadonlyArray<JournalEvent | { readonly interrupted: SettledFacts }>,
): readonly CallSummary[] {
  return journal.append(facts.map((fact) => ('interrupted' in fact ? settledEvent(fact.interrupted) : fact))).calls;
}

const eventsOf = (facts: GateFacts): readonly JournalEvent[] =>
  facts.map((fact) => ('ends' in fact ? eventOf(fact) : fact));

const writtenOr = (
  proof: CommitReceipt | JournalUnavailableError,
  facts: GateFacts,
): WrittenEnds | JournalUnavailableError =>
  isUnavailable(proof) ? proof : { proof, ends: facts.filter((fact) => 'ends' in fact) };

const eventOf = ({ ends, failure, result, durationMs, ran, said, wroteForeign }: CallEnd): SettledEvent =>
  settledEvent({
    callId: ends.callId,
    state: failure === null ? 'COMPLETED' : settledState(failure, ran),
    failure,
    result,
    durationMs,
    ...(said === undefined ? {} : { said }),
    ...(wroteForeign === undefined ? {} : { wroteForeign }),
  });

/** Drops the text that was redacted out of a result: the journal seals it, and it goes no further. */
function withoutWithheld({ withheld: _withheld, ...result }: SettledResult): SettledResult {
  return result;
}

function unrecordedSummary(batch: BatchRun, run: CallRun, failure: Failure | null): CallSummary {
  const meaning = failure === null ? null : CODE_MEANINGS[failure.code];
  return {
    callId: run.callId,
    batchId: batch.batchId,
    tool: run.declared.toolName,
    toolId: null,
    version: null,
    nature: null,
    summary: toVisibleLine(run.declared.toolName),
    workspace: batch.situation.workspace,
    state: meaning?.state ?? 'COMPLETED',
    display: meaning?.display ?? 'completed',
    awaiting: null,
    outcome: meaning?.kind ?? 'success',
    code: failure?.code ?? null,
    reason: failure?.message ?? null,
    door: batch.asker.door,
    client: batch.asker.client,
    agent: batch.asker.agent,
    tenant: batch.asker.tenant,
    user: batch.asker.user,
    session: batch.asker.session,
    risk: null,
    startedAt: batch.since,
    executingSince: null,
    timeoutMs: null,
    durationMs: null,
    confinement: null,
    hasChanges: false,
    lines: null,
    exitCode: null,
    decidedBy: null,
    hasOutput: false,
  };
}
