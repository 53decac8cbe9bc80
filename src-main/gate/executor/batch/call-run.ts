import type { Checkpoint } from '#contract/vocabulary/calls.js';
import { isDeepStrictEqual } from 'node:util';
import type { JsonObject } from '#contract/vocabulary/json.js';
import type { Failure } from '#contract/vocabulary/outcomes.js';
import type { AuthorizedCall, DeclaredCall } from '../../../domain/call/call-stages.js';
import type { BatchCall, CallOutput, CallProgress, SettledCall } from '../../../domain/ports/gate/gate.js';
import type { Committed, WrittenSoon } from '../../../domain/ports/journal.js';
import type { Ticket } from '../../../domain/ports/gate/place-queue.js';
import { callerTimeOver } from '../../../domain/call/failures.js';
import { ToolFailure, type ToolProgress } from '../../../domain/tool/tool.js';
import { Listeners } from '../../../platform/listeners.js';

/** Where a call stands, with what each stage needs. */
export type Stage =
  | { readonly at: 'planning' }
  | { readonly at: 'awaiting-decision' }
  | { readonly at: 'awaiting-result' }
  /** `started` holds the journal's proof where “about to run” was written with an earlier append. */
  | { readonly at: 'ready'; readonly call: AuthorizedCall; readonly started: Committed | WrittenSoon | null }
  | { readonly at: 'executing'; readonly call: AuthorizedCall }
  | { readonly at: 'settled' };

/** That it was asked for; or also that what was asked for is sound. */
export type Known = 'nothing' | 'received' | 'validated';

/** What hooks said their word about: by which of them, on which arguments, and when. */
export interface Hooked {
  readonly by: string;
  readonly arguments: JsonObject;
  /** Monotonic. */
  readonly at: number;
}

/** One call on its way: the door's handle on it, and the gate's. It ends exactly once. */
export class CallRun implements BatchCall {
  readonly declared: DeclaredCall;
  readonly settled: Promise<SettledCall>;
  readonly abort = new AbortController();
  stage: Stage = { at: 'planning' };
  /** Which of its arguments the person changed. */
  #edited: readonly string[] = [];
  /** Whether the journal knows this call. */
  recorded = false;
  /** What of it was on record before it was planned. */
  known: Known = 'nothing';
  /** It is on record, and waits for the person to decide about unfinished work before it is planned. */
  held = false;
  /** It waits for the person to open its folder. */
  awaitsFolder = false;
  /** It ended, and that is being written. */
  hasEnded = false;
  /** Its “about to run” was to be written soon, and could not be. */
  startLost = false;
  /** Its place to run in, or in the queue for one. */
  ticket: Ticket | null = null;
  /** What hooks judged it on; null where none did. */
  hooked: Hooked | null = null;
  /** What the person made of its arguments; null where they left them. */
  changed: JsonObject | null = null;
  /** How many acts of its batch were over when it was judged. */
  judgedAfter = 0;
  /** Whether it is on record that its caller is told what it says while it runs; null while nothing was to be told. */
  toldOnRecord: Promise<boolean> | null = null;
  told: ToolProgress | null = null;
  checkpoint: Checkpoint | null = null;
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

  get isSettled(): boolean {
    return this.stage.at === 'settled';
  }

  cancel(_reason: string): void {
    this.#end(this, 'cancelled');
  }

  expire(): void {
    const elapsedMs = Math.round(performance.now() - this.#began);
    this.#end(this, callerTimeOver(this.declared.toolName, elapsedMs));
  }

  onProgress(listener: (progress: CallProgress) => void): () => void {
    return this.#listeners.add(listener);
  }

  progress(progress: CallProgress): void {
    if (progress.type === 'progress') this.told = { percent: progress.percent, phase: progress.phase };
    this.#listeners.tell(progress);
  }

  passed(checkpoint: Checkpoint): void {
    this.checkpoint = checkpoint;
    this.#listeners.tell({ type: 'checkpoint', ...checkpoint });
  }

  onOutput(listener: (output: CallOutput) => void): () => void {
    return this.#hearers.add(listener);
  }

  /** Somebody is told how far it is. */
  get isFollowed(): boolean {
    return !this.#listeners.isEmpty;
  }

  get isHeard(): boolean {
    return !this.#hearers.isEmpty;
  }

  output(output: CallOutput): void {
    this.#hearers.tell(output);
  }

  /** It is over: what comes late of it is told to nobody. */
  hush(): void {
    this.#hearers.clear();
  }

  stop(failure: Failure): void {
    this.abort.abort(new ToolFailure(failure));
  }

  /** What it was told to stop for; null where nobody did. */
  get stoppedFor(): Failure | null {
    const { aborted, reason } = this.abort.signal as { readonly aborted: boolean; readonly reason: unknown };
    return aborted && reason instanceof ToolFailure ? reason.failure : null;
  }

  editedFrom(asked: JsonObject, now: JsonObject): void {
    this.changed = now;
    const names = new Set([...Object.keys(asked), ...Object.keys(now)]);
    this.#edited = [...names].filter((name) => !isDeepStrictEqual(asked[name], now[name]));
  }

  finish(settled: Omit<SettledCall, 'edited'>): void {
    this.stage = { at: 'settled' };
    this.#listeners.clear();
    this.hush();
    this.#resolve({ ...settled, edited: this.#edited });
    this.ticket?.release();
    this.ticket = null;
  }
}
