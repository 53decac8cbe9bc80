import { NATURE_WORDS } from '#contract/vocabulary/nature.js';
import type { Failure } from '#contract/vocabulary/outcomes.js';
import { type ChangedFile, NO_AFTERMATH } from '#contract/vocabulary/calls.js';
import type { ExecutingCall } from '../../domain/call/call-stages.js';
import { panicFailure, unrestoredFailure } from '../../domain/call/failures.js';
import { HoldableTimeout, toWaitMs } from '../../platform/timing/holdable-timeout.js';
import type { Clock } from '../../domain/ports/clock.js';
import type { WorkspaceTransaction } from '../../domain/ports/workspace/transaction.js';
import {
  type FailedOutput,
  NO_OUTPUT,
  ToolFailure,
  ToolFailureWithOutput,
  type ToolContext,
  type ToolOutput,
} from '../../domain/tool/tool.js';

/** How one attempt ended. A good one is committed to the workspace; of a bad one stays what could not be put back. */
export type AttemptOutcome =
  | { readonly ok: true; readonly output: ToolOutput; readonly changedFiles: readonly ChangedFile[] }
  | {
      readonly ok: false;
      readonly failure: Failure;
      readonly output: FailedOutput | null;
      readonly changedFiles: readonly ChangedFile[];
    };

interface AttemptDeps {
  readonly clock: Clock;
  readonly transaction: WorkspaceTransaction;
  readonly checkOutput: (structured: unknown) => string | null;
  readonly context: ToolContext;
  readonly stop: AbortController;
  /** Re-checks the judgement the moment before the tool is called; null while all of it still holds. */
  readonly findStaleJudgement: () => Promise<Failure | null>;
  /** Logs whole what a tool threw without naming a failure; the caller gets none of it. */
  readonly onFault: (error: unknown) => void;
}

/** How long a tool that was told to stop may take about it, after what its processes are allowed. */
const STOP_GRACE_MS = 5000;

/**
 * Runs a tool once:
 *   the handler, against the clock and the stop → its output against its schema → the transaction's commit.
 * Whatever goes wrong on the way rolls the transaction back.
 */
export async function attempt(call: ExecutingCall, parts: AttemptDeps): Promise<AttemptOutcome> {
  let began = false;
  try {
    const changed = await parts.findStaleJudgement();
    if (changed !== null) throw new ToolFailure(changed);
    const output = await runWithDeadline(call, parts, () => void (began = true));
    const misfit = parts.checkOutput(output.structured);
    if (misfit !== null)
      throw new ToolFailure({
        code: 'OutputInvalid',
        message: `${call.toolName} gave a result that does not fit its declaration: ${misfit}`,
      });
    const changedFiles = await parts.transaction.commit();
    return { ok: true, output, changedFiles: [...changedFiles, ...output.changedFiles] };
  } catch (error) {
    const left = await parts.transaction.rollback();
    const fault = error instanceof ToolFailure ? error.cause : error;
    if (fault !== undefined) parts.onFault(fault);
    // Why it was stopped says more than how the tool took it; the output it had got so far is kept.
    const failure = stopReason(parts.stop.signal) ?? failureOf(error);
    const ended = began ? withUnknownEnd(call, failure) : failure;
    return {
      ok: false,
      failure: left === null ? ended : unrestoredFailure(ended, left),
      output:
        error instanceof ToolFailureWithOutput
          ? error.output
          : began && !(error instanceof ToolFailure)
            ? findUnknownOutput(call)
            : null,
      changedFiles: left?.files ?? [],
    };
  }
}

async function runWithDeadline(
  call: ExecutingCall,
  { clock, context, stop }: AttemptDeps,
  onBegin: () => void,
): Promise<ToolOutput> {
  const began = clock.monotonic();
  const signal = stop.signal;
  const { wait_seconds: wait } = context.config.tools.approval;
  const deadline = new HoldableTimeout(call.timeoutMs, toWaitMs(wait), () =>
    stop.abort(new ToolFailure(timeout(call, clock.monotonic() - began))),
  );
  let grace: NodeJS.Timeout | undefined;
  // A handler that does not look at the signal can't keep its caller waiting: its transaction is closed, so what it still does has no effect.
  const abandoned = new Promise<never>((_resolve, reject) => {
    const begin = (): void => {
      const graceMs = context.config.tools.run_command.kill_grace_ms + STOP_GRACE_MS;
      const stopped = failureOf(signal.reason);
      const unknown = findUnknownOutput(call);
      grace = setTimeout(
        () => reject(unknown === null ? new ToolFailure(stopped) : new ToolFailureWithOutput(stopped, unknown)),
        graceMs,
      );
    };
    if (signal.aborted) begin();
    else signal.addEventListener('abort', begin, { once: true });
  });
  try {
    signal.throwIfAborted();
    onBegin();
    // Who asks the person something of their own is another program.
    const held = 'onCheckpoint' in context ? { ...context, waitsForPerson: () => deadline.hold() } : context;
    const executed = call.tool.execute(call.parsed, held, call.understood);
    const output = await Promise.race([executed, abandoned]);
    signal.throwIfAborted();
    return output;
  } finally {
    deadline.clear();
    clearTimeout(grace);
  }
}

/** What stands for the output of a call that may have changed files, where nobody can say which; null for any other. */
const findUnknownOutput = ({ judgement, tool }: ExecutingCall): FailedOutput | null =>
  judgement.terms.gets.paths === 'change' && tool.declaration.nature !== 'files'
    ? { ...NO_OUTPUT, aftermath: { ...NO_AFTERMATH, changesComplete: false } }
    : null;

/** How far a call came that was stopped, or broke, nobody knows where it ran: the caller must not take it for undone. */
function withUnknownEnd({ tool: { declaration } }: ExecutingCall, failure: Failure): Failure {
  const { unknownEnd } = NATURE_WORDS[declaration.nature];
  const isKnown = failure.code !== 'Timeout' && failure.code !== 'Cancelled' && failure.code !== 'Internal';
  return unknownEnd === null || isKnown || !declaration.sideEffecting
    ? failure
    : { ...failure, message: `${failure.message.replace(/\.?$/u, '.')} ${unknownEnd}` };
}

const timeout = (call: ExecutingCall, elapsedMs: number): Failure => ({
  code: 'Timeout',
  message: `${call.toolName} was stopped after ${seconds(elapsedMs)} s: its time limit is ${seconds(call.timeoutMs)} s.`,
  elapsedMs: Math.round(elapsedMs),
  eCode: 'E3103',
});

const seconds = (ms: number): string => (ms / 1000).toFixed(ms < 10_000 ? 1 : 0);

const stopReason = (signal: AbortSignal): Failure | null =>
  signal.aborted && signal.reason instanceof ToolFailure ? signal.reason.failure : null;

function failureOf(error: unknown): Failure {
  if (error instanceof ToolFailure) return error.failure;
  return panicFailure(error);
}
