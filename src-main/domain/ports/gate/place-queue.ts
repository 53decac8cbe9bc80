import type { Priority } from '../../call/call-options.js';
import type { Failure } from '#contract/vocabulary/outcomes.js';

/** The facts of a call that decide whether there is a place for it now, and who comes first. */
export interface PlaceRequest {
  readonly tool: string;
  /** The pool that the place is taken from: the app's, or the one of the domain's package. */
  readonly pool: 'app' | 'domain';
  readonly toolId: string;
  /** Where it is to run: its settings may bound its calls more closely. */
  readonly folder: string;
  /** The agent whose running calls are counted together; null for the person's own, which only the whole bounds. */
  readonly agent: string | null;
  /** The key by which its agent is paused; null for an asker that can't be. */
  readonly pausedAs: string | null;
  /** The name that the agent is shown by. */
  readonly name: string;
  /** The session of which one call runs at a time; null for a call that belongs to none. */
  readonly session: string | null;
  /** The priority that its program asked for. */
  readonly priority: Priority;
  /** The person waits for it in the window. */
  readonly urgent: boolean;
  /** The memory that its tool declares to need at most; null where it declares nothing. */
  readonly memoryBytes: number | null;
}

/** A place to run in, or one in the queue for it. */
export interface QueueTicket {
  /** Why there was no place at once; null where there was. */
  readonly why: string | null;
  /** Resolves when its wait is over: with null where it has its place or was given back, else with why it gets none. */
  readonly called: Promise<Failure | null>;
  /** Gives the place back, or leaves the queue. Only the first time counts. */
  release(): void;
}

export interface PlaceQueue {
  /** A place, a place in the queue, or why there is neither. */
  ask(wanted: PlaceRequest): QueueTicket | Failure;
  /**
   * Passes the place of a finished call to the next one, where nobody who waits comes first; null leaves all as it was.
   */
  pass(from: QueueTicket, wanted: PlaceRequest): QueueTicket | null;
}
