import type { AskingDoor } from '../domain/call/asker.js';
import type { BatchCall, BatchRequest, Gate, RequestedCall } from '../domain/ports/gate/gate.js';

/** Why nobody waits for an answer any more. */
export type Departure = 'cancelled' | 'left' | 'put-out';

/** A single call that a door requests from the gate. */
export interface DoorCallRequest extends Pick<
  BatchRequest<AskingDoor>,
  'asker' | 'folder' | 'refuseAll' | 'admission' | 'joinable'
> {
  readonly call: RequestedCall;
}

/** A door's handle on whoever waits for the call. */
export interface CallerWaiting {
  /** Aborted when they went away. */
  readonly left?: AbortSignal | undefined;
  /** Aborted when they took this call back. */
  readonly cancelled?: AbortSignal;
  /** Unix ms after which the answer is of no use; null or left out: none. */
  readonly deadlineMs?: number | null;
  readonly whenClientLeaves: () => 'cancel' | 'keep';
}

/** A call under way, and who waits for it. */
export interface AwaitedCall {
  readonly call: BatchCall;
  /**
   * Stops waiting: the call is withdrawn, or kept for the person where the caller left and the settings say so. Counts
   * once.
   */
  readonly depart: (how: Departure) => void;
  /** Lets go of the call: the caller has its answer, and nothing it does from now on concerns the call. */
  readonly release: () => void;
}

/** Asks the gate for one call, and takes it back as the settings say when nobody waits for it any more. */
export function askForCall(
  gate: Gate,
  { call: requested, ...asked }: DoorCallRequest,
  waiting: CallerWaiting,
): AwaitedCall {
  const batch = gate.submit({ ...asked, calls: [requested], capacityBytes: null });
  const [call] = batch.calls;
  if (call === undefined) throw new Error('The gate took a call and gave none back.');
  const over = new AbortController();
  const depart = (how: Departure): void => {
    if (over.signal.aborted) return;
    over.abort();
    if (how === 'left' && waiting.whenClientLeaves() === 'keep') batch.abandon();
    else call.cancel();
  };
  const { left, cancelled, deadlineMs = null } = waiting;
  const expiry = deadlineMs === null ? undefined : setTimeout(() => call.expire(), timeUntil(deadlineMs));
  void call.settled.then(() => clearTimeout(expiry));
  follow(left, over.signal, () => depart('left'));
  follow(cancelled, over.signal, () => depart(left?.aborted === true ? 'left' : 'cancelled'));
  return {
    call,
    depart,
    release: () => over.abort(),
  };
}

function follow(signal: AbortSignal | undefined, over: AbortSignal, listener: () => void): void {
  if (signal?.aborted === true) listener();
  else signal?.addEventListener('abort', listener, { once: true, signal: over });
}

/** The longest delay that a timer takes. */
const MAX_TIMER_MS = 2 ** 31 - 1;

const timeUntil = (deadlineMs: number): number => Math.min(MAX_TIMER_MS, Math.max(0, deadlineMs - Date.now()));
