import type { CallSummary } from '#contract/vocabulary/calls.js';
import type { Invocations } from '../../domain/ports/invocations.js';

/** Tells whoever waits for a call that something was recorded of it. */
export class WatchedCalls {
  readonly #waiting = new Map<string, Set<(call: CallSummary) => void>>();

  constructor(invocations: Pick<Invocations, 'onCommit'>) {
    invocations.onCommit((calls) => {
      for (const call of calls) for (const listener of this.#waiting.get(call.callId) ?? []) listener(call);
    });
  }

  on(callId: string, listener: (call: CallSummary) => void): () => void {
    const listeners = this.#waiting.get(callId) ?? new Set();
    this.#waiting.set(callId, listeners);
    listeners.add(listener);
    return () => {
      listeners.delete(listener);
      if (listeners.size === 0) this.#waiting.delete(callId);
    };
  }
}

/** Resolves with the first that comes: what is waited for, the time, or that nobody waits any more. */
export async function firstOf<T>(what: Promise<T>, ms: number, left: AbortSignal): Promise<T | 'late' | 'left'> {
  const over = new AbortController();
  const late = new Promise<'late'>((resolve) => {
    const timer = setTimeout(() => resolve('late'), ms);
    over.signal.addEventListener('abort', () => clearTimeout(timer), { once: true });
  });
  const gone = new Promise<'left'>((resolve) => {
    if (left.aborted) resolve('left');
    else left.addEventListener('abort', () => resolve('left'), { once: true, signal: over.signal });
  });
  try {
    return await Promise.race([what, late, gone]);
  } finally {
    over.abort();
  }
}
