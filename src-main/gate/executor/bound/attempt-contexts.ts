import { journalUnavailableFailure } from '../../../domain/call/failures.js';
import type { AuthorizedCall } from '../../../domain/call/call-stages.js';
import type { CommandEvent } from '../../../domain/call/outputs.js';
import type { CommandRunner } from '../../../domain/ports/command-runner.js';
import type { Redactor } from '../../../domain/ports/redactor.js';
import { getOutputLimitBytes, tightenToDeclared } from '../../../domain/tool/declared-limits.js';
import { tightenToRequested } from '../../../domain/tool/requested-limits.js';
import { withoutNetwork } from '../../../domain/tool/terms.js';
import type { ToolContext } from '../../../domain/tool/tool.js';
import type { BatchRun } from '../batch/batch-run.js';
import type { CallRun } from '../batch/call-run.js';
import type { ReadLogs } from '../given/read-logs.js';
import { isUnavailable, type Recorder } from '../recorder.js';
import type { WorkspaceTransaction } from '../../../domain/ports/workspace/transaction.js';
import { buildToolContext } from './build-tool-context.js';
import { CallOutlet } from './call-outlet.js';

export interface AttemptContextParts {
  readonly redactor: Redactor;
  readonly commands: CommandRunner;
  readonly readLogs: ReadLogs;
  readonly onOutput: (callId: string, stream: 'stdout' | 'stderr', text: string) => void;
  readonly onWaitingForInput: (callId: string, waiting: boolean) => void;
  /** A fault that nobody foresaw: for the log. */
  readonly onFault: (error: unknown) => void;
}

/** The parts that one attempt works with. */
interface AttemptResources {
  readonly transaction: WorkspaceTransaction;
  readonly signal: AbortSignal;
  readonly outlet: CallOutlet;
}

/** Builds what a handler is handed for one attempt, and the way by which it says something meanwhile. */
export class AttemptContexts {
  readonly #parts: AttemptContextParts;
  readonly #recorder: Recorder;

  constructor(parts: AttemptContextParts, recorder: Recorder) {
    this.#parts = parts;
    this.#recorder = recorder;
  }

  /** The context of one attempt, by what is in force now: that it was judged on, as was looked at right before. */
  build(
    batch: BatchRun,
    run: CallRun,
    call: AuthorizedCall,
    { transaction, signal, outlet }: AttemptResources,
  ): ToolContext {
    const { config: inForce, sandbox } = batch.situation.now();
    const config = call.judgement.offline === true ? withoutNetwork(inForce) : inForce;
    const wanted = call.wanted?.limits ?? {};
    const limits = tightenToRequested(call.tool.declaration.resourceLimits, wanted);
    const capacityBytes = batch.capacityShare;
    return buildToolContext(call, {
      config: tightenToDeclared(config, limits),
      sandbox,
      transaction,
      commands: this.#parts.commands,
      readLog: this.#parts.readLogs.of(batch.asker.session),
      findsSecrets: (content) => this.#parts.redactor.finds(content),
      signal,
      outputLimit: Math.min(getOutputLimitBytes(limits, config), capacityBytes),
      capacityBytes,
      emit: outlet.emit,
      onCommandEvent: (event) => this.#commandEvent(run, event),
      folder: batch.situation.workspace === '' ? null : batch.situation.workspace,
      limits: wanted,
      onProgress: outlet.progress,
      onCheckpoint: outlet.checkpoint,
    });
  }

  /** Opens the way by which the call says something while it runs; `onRecord` is called before any of it is told. */
  openOutlet(run: CallRun, call: AuthorizedCall, onRecord: () => Promise<boolean>): CallOutlet {
    const { redactor, onOutput } = this.#parts;
    return new CallOutlet({
      redactor,
      isClean: call.tool.declaration.nature === 'command',
      window: ({ stream, text }) => onOutput(call.callId, stream, text),
      isHeard: () => run.isHeard,
      isFollowed: () => run.isFollowed,
      onFault: this.#parts.onFault,
      onRecord,
      output: (output) => run.output(output),
      progress: (progress) => run.progress({ type: 'progress', ...progress }),
      checkpoint: (checkpoint) => run.passed(checkpoint),
    });
  }

  #commandEvent(run: CallRun, event: CommandEvent): void {
    if (event.type === 'waiting-for-input') return this.#parts.onWaitingForInput(run.callId, event.waiting);
    const { pid, startTicks, mark, confinement } = event;
    // Recovery finds and ends the process by this. Where it can't be written nothing else can either: the command is stopped.
    const proof = this.#recorder.append([
      { type: 'call-process', callId: run.callId, pid, startTicks, mark, confinement },
    ]);
    if (isUnavailable(proof)) run.stop(journalUnavailableFailure(proof.message));
  }
}
