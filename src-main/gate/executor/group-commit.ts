import type { JournalEvent } from '../../domain/call/journal-events.js';
import { type CommitReceipt, JournalUnavailableError } from '../../domain/ports/journal.js';

type Write = (events: readonly JournalEvent[]) => CommitReceipt | JournalUnavailableError;

interface PendingAppend {
  readonly events: readonly JournalEvent[];
  readonly resolve: (proof: CommitReceipt | JournalUnavailableError) => void;
  readonly reject: (error: unknown) => void;
  readonly lost?: ((problem: string) => void) | undefined;
}

/** How long what need not be on the disk yet may wait for what must be. */
const SOON_MS = 5;

/**
 * Commits what several calls have to write in one turn together, so that they wait for the disk once. Each goes on when
 * all of it is written.
 */
export class GroupCommit {
  readonly #write: Write;
  #waiting: PendingAppend[] = [];
  #turn: NodeJS.Immediate | undefined;
  #soon: NodeJS.Timeout | undefined;

  constructor(write: Write) {
    this.#write = write;
  }

  add(events: readonly JournalEvent[]): Promise<CommitReceipt | JournalUnavailableError> {
    this.#turn ??= setImmediate(() => this.flush());
    return this.#wait(events);
  }

  /** Writes with whatever is written next, or a moment later by itself. `lost` is called at once where that fails. */
  addSoon(
    events: readonly JournalEvent[],
    lost: (problem: string) => void,
  ): Promise<CommitReceipt | JournalUnavailableError> {
    this.#soon ??= setTimeout(() => this.flush(), SOON_MS);
    return this.#wait(events, lost);
  }

  #wait(
    events: readonly JournalEvent[],
    lost?: (problem: string) => void,
  ): Promise<CommitReceipt | JournalUnavailableError> {
    const { promise, resolve, reject } = Promise.withResolvers<CommitReceipt | JournalUnavailableError>();
    this.#waiting.push({ events, resolve, reject, lost });
    return promise;
  }

  /**
   * Writes everything pending now. Runs before anything that does not wait is written, so that events keep the order of
   * their requests.
   */
  flush(): void {
    clearImmediate(this.#turn);
    clearTimeout(this.#soon);
    this.#turn = undefined;
    this.#soon = undefined;
    const waiting = this.#waiting;
    this.#waiting = [];
    if (waiting.length > 0) this.#commit(waiting);
  }

  #commit(waiting: readonly PendingAppend[]): void {
    try {
      const proof = this.#write(waiting.flatMap(({ events }) => events));
      if (proof instanceof JournalUnavailableError) for (const { lost } of waiting) lost?.(proof.message);
      for (const { resolve } of waiting) resolve(proof);
    } catch (error) {
      // A step that can't follow is one call's fault: nothing was written, and the others must not suffer for it.
      if (waiting.length > 1) for (const each of waiting) this.#commit([each]);
      else {
        waiting[0]?.lost?.(String(error));
        waiting[0]?.reject(error);
      }
    }
  }
}
