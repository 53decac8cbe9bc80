import type { CallSummary } from '#contract/vocabulary/calls.js';

const indexes = new WeakMap<readonly CallSummary[], Map<string, CallSummary>>();

/** Finds a call by an index, one for each list, however many rows ask. */
export function callById(calls: readonly CallSummary[], callId: string): CallSummary | null {
  let index = indexes.get(calls);
  if (index === undefined) {
    index = new Map(calls.map((call) => [call.callId, call]));
    indexes.set(calls, index);
  }
  return index.get(callId) ?? null;
}
