import type { Failure } from '#contract/vocabulary/outcomes.js';
import {
  toExecutingCall,
  type AuthorizedCall,
  mayRevealSecrets,
  mustBeUndoable,
  isReadOnlyCall,
} from '../../domain/call/call-stages.js';
import { journalUnavailableFailure } from '../../domain/call/failures.js';
import { findReceiver } from '../../domain/policy/given-texts.js';
import { findReachableTool } from '../../domain/policy/judged-tool.js';
import type { Planner } from '../../domain/ports/gate/planner.js';
import type { ToolLookup } from '../../domain/ports/gate/tool-lookup.js';
import type { CommitReceipt, JournalUnavailableError, DeferredWrite } from '../../domain/ports/journal.js';
import type { JournalEvent } from '../../domain/call/journal-events.js';
import type { GitIgnored, GivenTextLog, ReadFileContent } from '../../domain/ports/given-text-log.js';
import type { Clock } from '../../domain/ports/clock.js';
import type { PlaceQueue } from '../../domain/ports/gate/place-queue.js';
import {
  listFolderPaths,
  type WorkspaceTransaction,
  type WorkspaceTransactions,
} from '../../domain/ports/workspace/transaction.js';
import { attempt, type AttemptOutcome } from './attempt.js';
import type { BatchRun } from './batch/batch-run.js';
import { AttemptContexts, type AttemptContextParts } from './bound/attempt-contexts.js';
import { BoundTransaction } from './bound/bound-transaction.js';
import type { CallRun } from './batch/call-run.js';
import { RecordedOnce } from './bound/recorded-once.js';
import { withCheckpoint } from './ending.js';
import { hasText, describeGivenText, findForeignFiles } from './given/given-text.js';
import { buildTextGivenEvents } from './given/text-given-events.js';
import type { HooksAtGate } from './hooks/hooks-at-gate.js';
import { describePlaceWanted } from './place-wanted.js';
import { MadeFolders, describeChangesSince } from './bound/changes-since.js';
import { notRecorded, buildResult, withSecrets } from './result/build-result.js';
import { executing, isUnavailable, queued, type Recorder } from './recorder.js';
import { beginAgain } from './retry.js';
import type { GateFacts, Settle, WrittenEnds } from './settle.js';

export interface ExecutionParts extends AttemptContextParts {
  readonly tools: ToolLookup;
  readonly transactions: WorkspaceTransactions;
  readonly planner: Planner;
  readonly queue: PlaceQueue;
  readonly texts: GivenTextLog;
  readonly git: GitIgnored;
  readonly contents: ReadFileContent;
  readonly clock: Clock;
  /** Resolves when settings and jail belong together: after a change they do not for a moment. */
  readonly settled: () => Promise<void>;
  /** A call begins that may change files; gives what to call when it is over. */
  readonly acting: () => () => void;
  readonly random: () => number;
}

interface EndedAttempts {
  readonly ending: AttemptOutcome;
  readonly transaction: WorkspaceTransaction;
  readonly outputLimit: number;
  /** FR-REG-04b: its share of what the model has room for. */
  readonly room: number;
  /** How many secrets were blotted out of what it said meanwhile. */
  readonly redactions: number;
  /** Whether its caller was told something while it ran, and that is on record. */
  readonly wasTold: boolean;
}

/** The parts that are finished off once the end is written. */
interface CallClosing extends Pick<EndedAttempts, 'ending' | 'transaction'> {
  readonly given: readonly JournalEvent[];
  /** The call whose “about to run” is written along with this end. */
  readonly next: CallRun | null;
}

/** Steps 5 to 7 of the gate: started, attempted, settled. */
export class Execution {
  readonly #parts: ExecutionParts;
  readonly #recorder: Recorder;
  readonly #settle: Settle;
  readonly #hooks: HooksAtGate;
  readonly #contexts: AttemptContexts;
  readonly #made = new MadeFolders();
  #isSuspended: (call: AuthorizedCall) => boolean = () => false;

  constructor(parts: ExecutionParts, recorder: Recorder, settle: Settle, hooks: HooksAtGate) {
    this.#parts = parts;
    this.#recorder = recorder;
    this.#settle = settle;
    this.#contexts = new AttemptContexts(parts, recorder);
    this.#hooks = hooks;
  }

  /**
   * Suspends the start of these calls from now on: they stay in the record as they are, and whoever waits for one
   * waits.
   */
  suspendStarts(which: (call: AuthorizedCall) => boolean): void {
    this.#isSuspended = which;
  }

  async run(batch: BatchRun, run: CallRun): Promise<void> {
    if (run.stage.at !== 'ready') return;
    const { call } = run.stage;
    await this.#place(batch, run, call);
    if (run.stage.at !== 'ready') return;
    const { started, judgedAfter } = run.stage;
    if (started === null && this.#isSuspended(call)) return NEVER;
    const changed = (await this.#hooks.judgeAgain(batch, run, call)) ?? (await this.#findStaleJudgement(batch, call));
    // Taken back meanwhile.
    if (run.isSettled) return;
    if (changed !== null) return this.#settle.refuse(batch, run, changed);
    const proof = started ?? (await this.#recorder.appendTogether([executing(call.callId, 1)]));
    // Taken back while that was written.
    if (run.isSettled) return;
    if (isUnavailable(proof)) return this.#settle.unrecorded(batch, run, journalUnavailableFailure(proof.message));
    run.advance({ type: 'begin' });
    run.progress({ type: 'executing' });
    const began = this.#parts.clock.monotonic();
    const over = call.tool.declaration.sideEffecting ? this.#parts.acting() : () => undefined;
    try {
      const ended = await this.#runAttempts(batch, run, call, { proof, judgedAfter });
      over();
      await this.#end(batch, run, call, ended, Math.round(this.#parts.clock.monotonic() - began));
    } catch (error) {
      over();
      throw error;
    }
  }

  /** Waits for a place to run in. Where it gets none, or the call is taken back meanwhile, that is settled when it returns. */
  async #place(batch: BatchRun, run: CallRun, call: AuthorizedCall): Promise<void> {
    if (run.stage.at !== 'ready') return;
    let { ticket } = run.stage;
    if (ticket === null) {
      const asked = this.#parts.queue.ask(describePlaceWanted(call, batch.situation.workspace));
      if ('code' in asked) return this.#settle.refuse(batch, run, asked);
      ticket = asked;
      run.advance({ type: 'take-place', ticket });
      if (asked.why !== null) {
        const proof = await this.#recorder.appendTogether([queued(call.callId, asked.why)]);
        if (run.isSettled) return;
        if (isUnavailable(proof)) return this.#settle.unrecorded(batch, run, journalUnavailableFailure(proof.message));
      }
    }
    if (ticket.why === null) return;
    run.progress({ type: 'waiting-for-place' });
    const refusal = await ticket.called;
    if (refusal !== null && !run.isSettled) this.#settle.refuse(batch, run, refusal);
  }

  /** Re-checks the judgement before a call starts: what was judged is what is used, or it does not run. */
  async #findStaleJudgement(batch: BatchRun, call: AuthorizedCall): Promise<Failure | null> {
    await this.#parts.settled();
    return this.#parts.planner.findStaleJudgement(call, batch.situation.now());
  }

  async #runAttempts(
    batch: BatchRun,
    run: CallRun,
    call: AuthorizedCall,
    { proof: first, judgedAfter }: { readonly proof: CommitReceipt | DeferredWrite; readonly judgedAfter: number },
  ): Promise<EndedAttempts> {
    let proof = first;
    let redactions = 0;
    const telling = new RecordedOnce(() => this.#recordAsGiven(batch, run, call));
    for (let number = 1; ; number += 1) {
      const outlet = this.#contexts.openOutlet(run, call, () => telling.record());
      const transaction = this.#parts.transactions.begin(call.callId, mustBeUndoable(call));
      const since = describeChangesSince(batch.effects.slice(judgedAfter), this.#made);
      const bound = new BoundTransaction(transaction, call.judgement, since, call.tool.declaration.resourceLimits);
      // A time-out stops one attempt; the person or the caller stops them all.
      const stop = new AbortController();
      const relay = (): void => stop.abort(run.signal.reason);
      if (run.signal.aborted) relay();
      run.signal.addEventListener('abort', relay, { once: true });
      const context = this.#contexts.build(batch, run, call, { transaction: bound, signal: stop.signal, outlet });
      const checkOutput = findReachableTool(this.#parts.tools, call)?.checkOutput ?? (() => null);
      const ending = await attempt(toExecutingCall(call, number, proof), {
        clock: this.#parts.clock,
        transaction,
        checkOutput,
        context,
        stop,
        // Hooks may be others since, or have spoken too long ago.
        findStaleJudgement: async () =>
          (await this.#hooks.judgeAgain(batch, run, call)) ?? (await this.#findStaleJudgement(batch, call)),
        onFault: this.#parts.onFault,
      });
      run.signal.removeEventListener('abort', relay);
      await outlet.end();
      redactions += outlet.redactions;
      const { outputLimit, capacityBytes: room } = context;
      const ended: EndedAttempts = {
        ending,
        transaction,
        outputLimit,
        room,
        redactions,
        wasTold: await telling.isRecorded,
      };
      if (ending.ok || run.signal.aborted) return ended;
      const again = await beginAgain(run, call, ending.failure, number, this.#recorder, this.#parts.random);
      if (again === null) return ended;
      await transaction.settle();
      proof = again;
    }
  }

  /** Writes that its caller was given what it says. */
  async #recordAsGiven(batch: BatchRun, run: CallRun, call: AuthorizedCall): Promise<boolean> {
    if (findReceiver(call.asker) === null) return true;
    const { workspace } = batch.situation;
    const said = await describeGivenText(call, { redactions: 0 }, workspace, this.#parts);
    const given = buildTextGivenEvents(call.asker, said, { workspace, byCall: call.callId, texts: this.#parts.texts });
    if (given.length === 0) return true;
    return run.isOnRecord && !isUnavailable(await this.#recorder.appendTogether(given));
  }

  /** Notes what the call did, so that calls of its batch that were judged earlier are not surprised by it. */
  #noteEffect(batch: BatchRun, call: AuthorizedCall, transaction: WorkspaceTransaction): void {
    const { nature, paths } = call.judgement.terms.gets;
    if (paths !== 'change') return;
    this.#made.add(transaction.made);
    if (nature === 'files')
      batch.effects.push({ kind: 'files', paths: new Set(call.judgement.files.map(({ path }) => path)) });
    else batch.effects.push({ kind: 'any' });
  }

  async #end(
    batch: BatchRun,
    run: CallRun,
    call: AuthorizedCall,
    { ending, transaction, outputLimit, room, redactions, wasTold }: EndedAttempts,
    durationMs: number,
  ): Promise<void> {
    const { withoutSecrets } = this.#recorder;
    run.hush();
    const failure = ending.ok ? null : withoutSecrets.failure(ending.failure);
    const limits = { outputLimit, room, config: batch.situation.now().config };
    const ended = await buildResult(call, ending, failure, limits, { tools: this.#parts.tools, withoutSecrets });
    const result = withCheckpoint(ended, run.checkpoint);
    const answer = mayRevealSecrets(call) ? withSecrets(result) : result;
    batch.gives(answer.content);
    if (run.stage.at !== 'running') return;
    const { lost } = run.stage;
    run.advance({ type: 'end' });
    if (lost !== 'nothing') {
      const left = await transaction.rollback();
      const problem = this.#recorder.health.problem ?? 'It can write again now.';
      const why = notRecorded(problem, call.tool.declaration, left);
      return this.#settle.unrecorded(batch, run, why, null, left?.files);
    }
    const { workspace } = batch.situation;
    const names = (ending.ok ? ending.output.names : null) ?? [];
    const contents = { redactions: result.redactions + redactions, names };
    const said =
      findReceiver(call.asker) !== null && (wasTold || hasText(call, ending))
        ? await describeGivenText(call, contents, workspace, this.#parts)
        : null;
    const given =
      said === null
        ? []
        : buildTextGivenEvents(call.asker, said, { workspace, byCall: call.callId, texts: this.#parts.texts });
    const next = this.#findJoiningCall(batch, run);
    const facts: GateFacts = [
      // Before it: what proves a call is its last event.
      ...given,
      {
        ends: run,
        failure,
        result,
        answer,
        durationMs,
        ran: call.tool.declaration,
        said,
        wroteForeign: await findForeignFiles(
          call,
          workspace,
          {
            changedFiles: result.changedFiles,
            createdFolders: [...(ending.output?.createdFolders ?? []), ...listFolderPaths(transaction.made, workspace)],
            complete: result.aftermath.changesComplete,
          },
          this.#parts,
        ),
      },
      ...(next === null ? [] : [executing(next.callId, 1)]),
    ];
    const over = (written: WrittenEnds | JournalUnavailableError): Promise<void> =>
      this.#finish(batch, run, call, { ending, transaction, given, next }, written);
    if (next?.stage.at !== 'ready' || batch.joinable || !isReadOnlyCall(call) || !isReadOnlyCall(next.stage.call))
      return over(await this.#settle.write(facts));
    // What a message reads is given to its model together: it is written together, too, and nobody is told before.
    const soon = this.#settle.writeSoon(facts, (problem) => {
      next.advance({ type: 'lose', what: 'start' });
      next.stop(journalUnavailableFailure(problem));
    });
    next.advance({ type: 'prove-start', started: soon.started });
    batch.endsSoon(soon.over.then(over));
  }

  /** Finishes off a call whose end is on the disk, or can't be written: only now is anybody told. */
  async #finish(
    batch: BatchRun,
    run: CallRun,
    call: AuthorizedCall,
    { ending, transaction, given, next }: CallClosing,
    written: WrittenEnds | JournalUnavailableError,
  ): Promise<void> {
    if (isUnavailable(written)) {
      // What the journal does not hold has not happened: a file tool's changes go back.
      const left = await transaction.rollback();
      // What its caller was told of it counts all the same, once that can be written.
      if (run.isOnRecord) for (const fact of given) this.#recorder.owe(fact);
      const why = notRecorded(written.message, call.tool.declaration, left);
      return this.#settle.unrecorded(batch, run, why, ending.ok ? null : ending.output, left?.files);
    }
    this.#noteEffect(batch, call, transaction);
    const { askAgain, hidden = [] } = (ending.ok ? null : ending.output) ?? {};
    const wasAsked = call.grant.by === 'person';
    // What it is hidden is nobody's yes yet, whatever let it run.
    if (askAgain !== undefined && (mustBeUndoable(call) || (hidden.length > 0 && !wasAsked)))
      this.#parts.planner.rememberToAsk(call, { why: askAgain, reads: hidden });
    if (ending.ok && wasAsked && call.judgement.mayRead !== undefined) this.#parts.planner.forgetMissingAccess(call);
    if (next?.stage.at === 'ready') next.advance({ type: 'prove-start', started: written.proof });
    this.#settle.tell(batch, written);
    await transaction.settle();
  }

  /** The next call's “about to run” joins this one's result where it only reads: one commit instead of two. */
  #findJoiningCall(batch: BatchRun, over: CallRun): CallRun | null {
    const next = batch.nextReady();
    if (next?.stage.at !== 'ready' || next.stage.started !== null) return null;
    if (over.stage.at !== 'ending' || over.stage.ticket === null) return null;
    const { call } = next.stage;
    // The start of a call that acts is written right before it: hooks may still deny it.
    if (call.tool.declaration.sideEffecting || this.#hooks.isDue(next, call)) return null;
    const ticket = this.#parts.queue.pass(over.stage.ticket, describePlaceWanted(call, batch.situation.workspace));
    if (ticket === null) return null;
    over.advance({ type: 'pass-place' });
    next.advance({ type: 'take-place', ticket });
    return next;
  }
}

const NEVER = new Promise<never>(() => undefined);
