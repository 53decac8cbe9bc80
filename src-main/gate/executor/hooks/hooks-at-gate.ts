import { isDeepStrictEqual } from 'node:util';
import type { CallSummary } from '#contract/vocabulary/calls.js';
import { isJsonObject, type JsonObject } from '#contract/vocabulary/json.js';
import type { Failure } from '#contract/vocabulary/outcomes.js';
import type { HookRun } from '#contract/vocabulary/hooks.js';
import { isOwnAct } from '../../../domain/call/asker.js';
import type { AuthorizedCall, ValidatedCall } from '../../../domain/call/call-stages.js';
import { journalUnavailableFailure } from '../../../domain/call/failures.js';
import { findHostileJson } from '../../../domain/call/hostile-json.js';
import { undecidedFailure } from '../../../domain/call/judgement.js';
import type { JournalEvent } from '../../../domain/call/journal-events.js';
import { identifyTool } from '../../../domain/policy/judged-tool.js';
import type { Clock } from '../../../domain/ports/clock.js';
import type { SettledCall } from '../../../domain/ports/gate/gate.js';
import type { CallHooks, HookedCall, HookContext } from '../../../domain/ports/gate/hooks.js';
import type { Disposition, PlanningSituation } from '../../../domain/ports/gate/planner.js';
import type { ToolLookup } from '../../../domain/ports/gate/tool-lookup.js';
import type { ToolIdentity } from '../../../domain/tool/tool-identity.js';
import type { BatchRun } from '../batch/batch-run.js';
import type { CallRun } from '../batch/call-run.js';
import { isUnavailable, type Recorder } from '../recorder.js';

/** How long what a hook said of a call holds. */
const VERDICT_HOLDS_MS = 60_000;

type JudgeableDisposition = Extract<Disposition, { kind: 'run' | 'ask' }>;

export interface HooksAtGateParts {
  readonly hooks: CallHooks;
  readonly recorder: Recorder;
  readonly tools: ToolLookup;
  readonly clock: Clock;
  readonly onFault: (error: unknown) => void;
}

/** The facts that hooks are told of how a call ended. */
type EndedForHooks = Pick<SettledCall, 'summary' | 'recorded'> & { readonly failure: Pick<Failure, 'code'> | null };

/** A disposition after hooks, and what is recorded of them. */
export interface AfterHooks {
  readonly disposition: Disposition;
  readonly facts: readonly JournalEvent[];
}

/** When hooks are asked and told: before anybody is asked, once more before the start where that is due, and after the end. */
export class HooksAtGate {
  readonly #parts: HooksAtGateParts;
  readonly #telling = new Set<Promise<void>>();
  readonly #closing = new AbortController();

  constructor(parts: HooksAtGateParts) {
    this.#parts = parts;
  }

  /** The person's own acts are not judged. */
  areFor(disposition: Disposition): disposition is JudgeableDisposition {
    return (
      (disposition.kind === 'run' || disposition.kind === 'ask') &&
      !isOwnAct(disposition.call.asker) &&
      this.#parts.hooks.identifyJudges(toolOf(disposition.call)) !== null
    );
  }

  /**
   * Runs the hooks that judge a call. What a hook runs is an act, so the call is on record before. Hooks can only
   * tighten.
   */
  async judge(batch: BatchRun, run: CallRun, disposition: JudgeableDisposition): Promise<AfterHooks> {
    const { call } = disposition;
    const { runs, verdict } = await this.#judged(batch, run, call, run.signal);
    const facts = factsOf(run, runs);
    // The app closes, and the call outlives it: it is judged at the next start, and what was broken off says nothing.
    if (this.#closing.signal.aborted && run.stoppedFor === null) return new Promise(() => undefined);
    // What a hook that was ended with its call would have said is nobody’s word.
    if (run.stoppedFor !== null) return { disposition: { kind: 'settled', call, failure: run.stoppedFor }, facts };
    switch (verdict.kind) {
      case 'nothing':
        return { disposition, facts };
      case 'deny':
        return { disposition: { kind: 'settled', call, failure: verdict.failure }, facts };
      case 'ask': {
        const { words: why, rule } = verdict;
        const hook = { why };
        const asks = { kind: 'ask', call, why, rule, hook, confirmable: false } as const;
        return {
          disposition: { ...asks, runnerChange: disposition.kind === 'ask' ? disposition.runnerChange : null },
          facts,
        };
      }
    }
  }

  /** Whether what hooks said no longer counts: of other arguments, by other hooks, or too long ago. */
  isDue(run: CallRun, call: AuthorizedCall): boolean {
    if (isOwnAct(call.asker)) return false;
    const by = this.#parts.hooks.identifyJudges(toolOf(call));
    if (by === null) return false;
    const hooked = 'hooked' in run.stage ? run.stage.hooked : null;
    return (
      hooked === null ||
      hooked.by !== by ||
      this.#parts.clock.monotonic() - hooked.at > VERDICT_HOLDS_MS ||
      !isDeepStrictEqual(hooked.arguments, call.arguments)
    );
  }

  /** Right before the start, and before each attempt. Gives why it does not start; null where it may, and where it is over meanwhile. */
  async judgeAgain(batch: BatchRun, run: CallRun, call: AuthorizedCall): Promise<Failure | null> {
    if (!this.isDue(run, call)) return null;
    const over = new AbortController();
    void run.settled.then(() => over.abort());
    const { runs, verdict } = await this.#judged(batch, run, call, AbortSignal.any([over.signal, run.signal]));
    if (run.isSettled) return null;
    if (run.stoppedFor !== null) return run.stoppedFor;
    if (this.#closing.signal.aborted) return new Promise(() => undefined);
    const proof = await this.#parts.recorder.appendTogether(factsOf(run, runs));
    if (run.isSettled) return null;
    if (isUnavailable(proof)) return journalUnavailableFailure(proof.message);
    if (verdict.kind === 'deny') return verdict.failure;
    // Who was asked about this very call said yes to it.
    return verdict.kind === 'ask' && call.grant.by !== 'person'
      ? undecidedFailure('a hook wants the user to decide by now')
      : null;
  }

  async #judged(batch: BatchRun, run: CallRun, call: ValidatedCall, signal: AbortSignal) {
    const { hooks, clock } = this.#parts;
    const by = hooks.identifyJudges(toolOf(call)) ?? '';
    const place = placeOf(batch);
    const judgement = await hooks.judge(describeToHooks(call, place), place, signal);
    run.advance({ type: 'hook', hooked: { by, arguments: call.arguments, at: clock.monotonic() } });
    return judgement;
  }

  /** Tells the hooks once the call has ended. Nobody waits for that, and nothing of the call depends on it. */
  tellAfter(batch: BatchRun, run: CallRun): void {
    void run.settled.then((settled) => {
      const tool = identifyTool(this.#parts.tools, run.declared, batch.situation.now().config);
      this.#begin(() => this.#tell(this.#toldAfter(run, settled, tool), settled, placeOf(batch)));
    });
  }

  /** The same of one that a crash ended. */
  tellEnded(summary: CallSummary, args: JsonObject, { config, isOpen, workspace }: PlanningSituation): void {
    const { callId, tool: name, toolId: id, version, risk, summary: words, door, client, agent } = summary;
    const tool = { name, id, version };
    const told = { callId, tool, arguments: args, risk, summary: words, door, client, agent };
    const failure = summary.code === null ? null : { code: summary.code };
    this.#begin(() =>
      this.#tell(told, { summary, failure, recorded: true }, { folder: isOpen ? workspace : '', config }),
    );
  }

  #begin(tell: () => Promise<void>): void {
    const telling = tell().catch(this.#parts.onFault);
    this.#telling.add(telling);
    void telling.then(() => this.#telling.delete(telling));
  }

  async #tell(told: HookedCall, ended: EndedForHooks, place: HookContext): Promise<void> {
    const { hooks, recorder } = this.#parts;
    if (!hooks.isTold(told.tool)) return;
    const runs = await hooks.tell(told, resultOf(ended), place, this.#closing.signal);
    // Nothing can be added in the journal to a call that it does not know.
    if (!ended.recorded || runs.length === 0) return;
    const { callId } = told;
    await recorder.appendTogether(runs.map((each) => ({ type: 'call-hook-after', callId, run: each })));
  }

  /** The app closes: those that are told are ended, and on record, when it resolves. */
  async close(): Promise<void> {
    this.#closing.abort();
    // A call that ended a moment ago is told of a moment later.
    await Promise.resolve();
    await Promise.all(this.#telling);
  }

  #toldAfter(run: CallRun, { summary }: SettledCall, tool: ToolIdentity): HookedCall {
    const { rawArguments, asker, callId } = run.declared;
    const sound = isJsonObject(rawArguments) && findHostileJson(rawArguments) === null ? rawArguments : {};
    return {
      callId,
      tool,
      arguments: run.editedArguments ?? sound,
      risk: summary.risk,
      summary: summary.summary,
      door: asker.door,
      client: asker.client,
      agent: asker.agent,
    };
  }
}

const factsOf = ({ callId }: CallRun, runs: readonly HookRun[]): readonly JournalEvent[] =>
  runs.map((run): JournalEvent => ({ type: 'call-hook', callId, run }));

const toolOf = ({ tool: { declaration } }: ValidatedCall): ToolIdentity => declaration;

const describeToHooks = (call: ValidatedCall, { folder }: HookContext): HookedCall => ({
  callId: call.callId,
  tool: toolOf(call),
  arguments: call.arguments,
  risk: call.risk,
  summary: call.summary,
  door: call.asker.door,
  client: call.asker.client,
  agent: call.asker.agent,
  ...pathsOf(call, folder),
});

/** The paths that the plan writes, whatever form the arguments give them. */
function pathsOf({ judgement: { files } }: ValidatedCall, folder: string): Pick<HookedCall, 'paths'> {
  const written = files.filter(({ standing }) => standing !== null);
  if (written.length === 0) return {};
  return { paths: [...new Set(written.map(({ path, root, relative }) => (root === folder ? relative : path)))] };
}

function placeOf({ situation }: BatchRun): HookContext {
  const { config, isOpen, workspace } = situation.now();
  return { folder: isOpen ? workspace : '', config };
}

const resultOf = ({ summary, failure }: EndedForHooks) => ({
  outcome: summary.outcome ?? ('success' as const),
  code: failure?.code ?? null,
  durationMs: summary.durationMs,
});
