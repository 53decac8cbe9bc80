import type { Checkpoint } from '#contract/vocabulary/calls.js';
import { isDeepStrictEqual } from 'node:util';
import type { JsonObject } from '#contract/vocabulary/json.js';
import type { Failure } from '#contract/vocabulary/outcomes.js';
import type { DeclaredCall } from '../../../domain/call/call-stages.js';
import type { BatchCall, CallOutput, CallProgress, SettledCall } from '../../../domain/ports/gate/gate.js';
import { callerDeadlineFailure } from '../../../domain/call/failures.js';
import { ToolFailure, type ToolProgress } from '../../../domain/tool/tool.js';
import { Listeners } from '../../../platform/listeners.js';
import { advance, isOnRecord, NEW, type CallStage, type StageEvent } from './call-stage.js';

/** The person's edit of a call's arguments. */
interface ArgumentEdit {
  readonly arguments: JsonObject;
  /** The names of the arguments that they changed. */
  readonly names: readonly string[];
}

/** A call on its way: the door's handle on it, and the gate's. It ends exactly once. */
export class CallRun implements BatchCall {
  readonly declared: DeclaredCall;
  readonly settled: Promise<SettledCall>;
  #stage: CallStage = NEW;
  #edit: ArgumentEdit | null = null;
  readonly #stop = new AbortController();
  readonly #listeners = new Listeners<[progress: CallProgress]>();
  readonly #hearers = new Listeners<[output: CallOutput]>();
  readonly #began = performance.now();
  readonly #end: (run: CallRun, why: 'cancelled' | Failure) => void;
  #resolve: (settled: SettledCall) => void = () => undefined;

  constructor(declared: DeclaredCall, end: (run: CallRun, why: 'cancelled' | Failure) => void) {
    this.declared = declared;
    this.#end = end;
    this.settled = new Promise((resolve) => (this.#resolve = resolve));
  }

  get callId(): string {
    return this.declared.callId;
  }

  get stage(): CallStage {
    return this.#stage;
  }

  /** A step that can't follow is a fault of the gate, and changes nothing. */
  advance(event: StageEvent): void {
    const next = advance(this.#stage, event);
    if (next === null) throw new Error(`“${event.type}” can’t happen to a call that is ${this.#stage.at}.`);
    this.#stage = next;
  }

  get isSettled(): boolean {
    return this.#stage.at === 'settled';
  }

  get isOnRecord(): boolean {
    return isOnRecord(this.#stage);
  }

  get told(): ToolProgress | null {
    return 'told' in this.#stage ? this.#stage.told : null;
  }

  get checkpoint(): Checkpoint | null {
    return 'checkpoint' in this.#stage ? this.#stage.checkpoint : null;
  }

  cancel(): void {
    this.#end(this, 'cancelled');
  }

  expire(): void {
    const elapsedMs = Math.round(performance.now() - this.#began);
    this.#end(this, callerDeadlineFailure(this.declared.toolName, elapsedMs));
  }

  onProgress(listener: (progress: CallProgress) => void): () => void {
    return this.#listeners.add(listener);
  }

  progress(progress: CallProgress): void {
    if (progress.type === 'progress')
      this.advance({ type: 'tell', told: { told: { percent: progress.percent, phase: progress.phase } } });
    this.#listeners.tell(progress);
  }

  passed(checkpoint: Checkpoint): void {
    this.advance({ type: 'tell', told: { checkpoint } });
    this.#listeners.tell({ type: 'checkpoint', ...checkpoint });
  }

  onOutput(listener: (output: CallOutput) => void): () => void {
    return this.#hearers.add(listener);
  }

  /** Whether anybody listens to its progress. */
  get isFollowed(): boolean {
    return !this.#listeners.isEmpty;
  }

  get isHeard(): boolean {
    return !this.#hearers.isEmpty;
  }

  output(output: CallOutput): void {
    this.#hearers.tell(output);
  }

  /** Silences the call once it is over: late output is told to nobody. */
  hush(): void {
    this.#hearers.clear();
  }

  /** Aborted when it is to stop. */
  get signal(): AbortSignal {
    return this.#stop.signal;
  }

  stop(failure: Failure): void {
    this.#stop.abort(new ToolFailure(failure));
  }

  /** The failure for which it was told to stop; null where nobody stopped it. */
  get stoppedFor(): Failure | null {
    const { reason } = this.#stop.signal as { readonly reason: unknown };
    return reason instanceof ToolFailure ? reason.failure : null;
  }

  /** The arguments as the person edited them; null where they left them. */
  get editedArguments(): JsonObject | null {
    return this.#edit?.arguments ?? null;
  }

  editedFrom(asked: JsonObject, now: JsonObject): void {
    const names = new Set([...Object.keys(asked), ...Object.keys(now)]);
    this.#edit = { arguments: now, names: [...names].filter((name) => !isDeepStrictEqual(asked[name], now[name])) };
  }

  finish(settled: Omit<SettledCall, 'edited'>): void {
    const ticket = 'ticket' in this.#stage ? this.#stage.ticket : null;
    this.advance({ type: 'settle' });
    this.#listeners.clear();
    this.hush();
    this.#resolve({ ...settled, edited: this.#edit?.names ?? [] });
    ticket?.release();
  }
}
