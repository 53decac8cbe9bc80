import type { CallSummary } from '#contract/vocabulary/calls.js';
import { CODE_MEANINGS, type Failure } from '#contract/vocabulary/outcomes.js';
import { journalUnavailable } from '../../domain/call/failures.js';
import { visibleLine } from '#contract/vocabulary/visible-text.js';
import type { Committed } from '../../domain/ports/journal.js';
import type { SettledResult } from '../../domain/call/journal-events.js';
import type { FailedOutput } from '../../domain/tool/tool.js';
import type { BatchRun } from './batch-run.js';
import type { CallRun } from './call-run.js';
import { failureResult } from './ending.js';
import { isUnavailable, type Recorder, refused, settled } from './recorder.js';

/** Gives a call its one result, after the journal has it. */
export function finish(
  batch: BatchRun,
  run: CallRun,
  failure: Failure | null,
  result: SettledResult,
  proof: Committed,
): void {
  if (run.isSettled) return;
  const summary = proof.calls.find(({ callId }) => callId === run.callId) ?? unrecordedSummary(batch, run, failure);
  run.finish({ summary, failure, result, recorded: true });
}

/** Ends a call that never ran. `recorded` is what the journal said, where that was written with others. */
export function finishRefused(
  recorder: Recorder,
  batch: BatchRun,
  run: CallRun,
  raw: Failure,
  recorded = recorder.append([refused(run.declared, raw, batch.outputLimit)]),
): void {
  const failure = recorder.withoutSecrets.failure(raw);
  if (isUnavailable(recorded)) finishUnrecorded(recorder, batch, run, journalUnavailable(recorded.message));
  else finish(batch, run, failure, failureResult(failure, run.declared.toolName, null, batch.outputLimit), recorded);
}

/**
 * The journal could not take it: the caller still gets exactly one result, and it says so. A call that the journal
 * knows gets its end there as soon as writing works again.
 */
export function finishUnrecorded(
  recorder: Recorder,
  batch: BatchRun,
  run: CallRun,
  raw: Failure,
  output: FailedOutput | null = null,
): void {
  if (run.isSettled) return;
  const failure = recorder.withoutSecrets.failure(raw);
  const whole = failureResult(failure, run.declared.toolName, output, batch.outputLimit);
  const result = recorder.withoutSecrets.resultNow(whole);
  if (run.recorded) recorder.owe(settled(run.declared, failure, result, null, null));
  run.finish({ summary: unrecordedSummary(batch, run, failure), failure, result, recorded: false });
}

function unrecordedSummary(batch: BatchRun, run: CallRun, failure: Failure | null): CallSummary {
  const meaning = failure === null ? null : CODE_MEANINGS[failure.code];
  return {
    callId: run.callId,
    batchId: batch.batchId,
    tool: run.declared.toolName,
    summary: visibleLine(run.declared.toolName),
    state: meaning?.state ?? 'COMPLETED',
    display: meaning?.display ?? 'completed',
    awaiting: null,
    outcome: meaning?.kind ?? 'success',
    code: failure?.code ?? null,
    reason: failure?.message ?? null,
    door: batch.asker.door,
    client: batch.asker.client,
    agent: batch.asker.agent,
    risk: null,
    startedAt: batch.since,
    executingSince: null,
    timeoutMs: null,
    durationMs: null,
    confinement: null,
    hasChanges: false,
    hasOutput: false,
  };
}
