import type { Failure } from '#contract/vocabulary/outcomes.js';
import type { AuthorizedCall, DeclaredCall } from '../../domain/call/call-stages.js';
import type { BatchCall, CallProgress, SettledCall } from '../../domain/ports/gate/gate.js';
import type { Committed } from '../../domain/ports/journal.js';
import type { Ticket } from '../../domain/ports/gate/place-queue.js';
import { ToolFailure } from '../../domain/tool/tool.js';
import { Listeners } from '../../platform/listeners.js';

/** Where a call stands, with what each stage needs. */
export type Stage =
  | { readonly at: 'planning' }
  | { readonly at: 'awaiting-decision' }
  | { readonly at: 'awaiting-result' }
  /** `started` holds the journal's proof where “about to run” was written with an earlier append. */
  | { readonly at: 'ready'; readonly call: AuthorizedCall; readonly started: Committed | null }
  | { readonly at: 'executing'; readonly call: AuthorizedCall }
  | { readonly at: 'settled' };

/** One call on its way: the door's handle on it, and the gate's. It ends exactly once. */
export class CallRun implements BatchCall {
  readonly declared: DeclaredCall;
  readonly settled: Promise<SettledCall>;
  readonly abort = new AbortController();
  stage: Stage = { at: 'planning' };
  /** Whether the journal knows this call. */
  recorded = false;
  /** Its place to run in, or in the queue for one. */
  ticket: Ticket | null = null;
  /** How many acts of its batch were over when it was judged. */
  judgedAfter = 0;
  readonly #listeners = new Listeners<[progress: CallProgress]>();
  readonly #cancel: (run: CallRun, reason: string) => void;
  #resolve: (settled: SettledCall) => void = () => undefined;

  constructor(declared: DeclaredCall, cancel: (run: CallRun, reason: string) => void) {
    this.declared = declared;
    this.#cancel = cancel;
    this.settled = new Promise((resolve) => (this.#resolve = resolve));
  }

  get callId(): string {
    return this.declared.callId;
  }

  get isSettled(): boolean {
    return this.stage.at === 'settled';
  }

  cancel(reason: string): void {
    this.#cancel(this, reason);
  }

  onProgress(listener: (progress: CallProgress) => void): () => void {
    return this.#listeners.add(listener);
  }

  progress(progress: CallProgress): void {
    this.#listeners.tell(progress);
  }

  stop(failure: Failure): void {
    this.abort.abort(new ToolFailure(failure));
  }

  finish(settled: SettledCall): void {
    this.stage = { at: 'settled' };
    this.#listeners.clear();
    this.#resolve(settled);
    this.ticket?.release();
    this.ticket = null;
  }
}
